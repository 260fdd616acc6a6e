"""Dumps of a small Wikipedia as MySQL writes them, and gold documents that name its pages."""

from __future__ import annotations

import gzip
from pathlib import Path

Dumps = tuple[Path, Path, Path]  # page_props, page, redirect

HEAD = (
    "-- MySQL dump 10.19\n/*!40101 SET NAMES utf8 */;\n"
    "CREATE TABLE `{0}` (\n  `id` int(8) -- 'it''s'\n);\nLOCK TABLES `{0}` WRITE;\n"
)
PAGE_PROPS = r"""INSERT INTO `page_props` VALUES (5,'defaultsort','O\'Neill, (Shane)',NULL),(5,'wikibase_item','Q5005',NULL);
INSERT INTO `page_props` VALUES (11867,'wikibase_item','Q183',0.5);
INSERT INTO `page_props` VALUES (12,'page_image','a),(12,\'wikibase_item\',\'Q666\',NULL',NULL),(90,'wikibase_item','Q90',NULL);
INSERT INTO `page_props` VALUES (1990,'wikibase_item','Q19900',NULL),(34607,'wikibase_item','Q2069',NULL);
INSERT INTO `page_props` VALUES (700,'wikibase_item','Q7000000',NULL),(13,'wikibase_item','',NULL);
INSERT INTO `page_props` VALUES (800,'wikibase_item','Q90',NULL);
"""
PAGE = r"""INSERT INTO `page` VALUES (5,0,'Shane_O\'Neill','',0,0,0.25,'2019',NULL,9,'wikitext',NULL),(11867,0,'Germany','',0);
INSERT INTO `page` VALUES (90,0,'Paris','',0),(91,0,'City_of_Light','',1),(92,0,'Ville_Lumière','',1),(34607,0,'1990','',0);
INSERT INTO `page` VALUES (700,14,'Paris_(Texas)','',0),(12,0,'Nobody','',0),(93,0,'Loop','',1),(94,0,'Elsewhere','',1);
INSERT INTO `page` VALUES (800,0,'Q1','',0);
"""
REDIRECT = r"""INSERT INTO `redirect` VALUES (91,0,'Paris','',''),(92,0,'City_of_Light',NULL,NULL),(93,0,'Loop','','');
INSERT INTO `redirect` VALUES (94,0,'Paris','de','');
"""


def write_dump(folder: Path, table: str, rows: str, *, compressed: bool = True) -> Path:
    """Write the dump of a table with these statements."""
    data = (HEAD.format(table) + rows + "UNLOCK TABLES;\n-- Dump completed\n").encode()
    path = folder / f"enwiki-{table}.sql{'.gz' if compressed else ''}"
    path.write_bytes(gzip.compress(data) if compressed else data)
    return path


def write_dumps(folder: Path) -> Dumps:
    """Write the three dumps of the small Wikipedia."""
    return (
        write_dump(folder, "page_props", PAGE_PROPS),
        write_dump(folder, "page", PAGE),
        write_dump(folder, "redirect", REDIRECT, compressed=False),
    )


# gold documents

AIDA = """-DOCSTART- (947testa CRICKET)
German\tB\tGerman\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h
and
Shane\tB\tShane O'Neill\tShane_O'Neill\thttp://en.wikipedia.org/wiki/Shane_O%27Neill\t777777\t/m/1
O'Neill\tI\tShane O'Neill\tShane_O'Neill\thttp://en.wikipedia.org/wiki/Shane_O%27Neill\t777777\t/m/1
Leicestershire\tB\tLeicestershire\t--NME--

-DOCSTART- (1163testb SOCCER)
Gone\tB\tGone\tGone\thttp://en.wikipedia.org/wiki/Gone\t888888\t/m/2
"""
WNED = """<wikipedia.entityAnnotation><document docName="Paris">
<annotation><mention>Paris</mention><wikiName>City of Light</wikiName><offset>3</offset><length>5</length></annotation>
<annotation><mention>1990</mention><wikiName>1990</wikiName><offset>12</offset><length>4</length></annotation>
<annotation><mention>x</mention><wikiName>NIL</wikiName><offset>0</offset><length>1</length></annotation>
</document></wikipedia.entityAnnotation>
"""


def write_aida(folder: Path) -> Path:
    """Write two documents of AIDA: two mentions with a page, one without, one outside Wikipedia."""
    path = folder / "aida.tsv"
    path.write_text(AIDA, encoding="utf-8")
    return path


def write_wned(folder: Path) -> Path:
    """Write a document of WNED with its text: a redirect, a year, and a mention outside Wikipedia."""
    (folder / "RawText").mkdir()
    (folder / "RawText" / "Paris").write_text("In Paris in 1990")
    path = folder / "wikipedia.xml"
    path.write_text(WNED, encoding="utf-8")
    return path
