"""A small KG of cities and their countries with names in eight languages, and a text in seven of them."""

from __future__ import annotations

from pathlib import Path

from eigenthemes import KB
from helpers.kbs import build_untrained

BASE = "https://example.org/place/"
LANGUAGES = ("en", "de", "fr", "ar", "hi", "zh", "ja", "tr")

# entity -> names in LANGUAGES; the countries first
COUNTRIES = {
    "egypt": ("Egypt", "Ägypten", "Égypte", "مصر", "मिस्र", "埃及", "エジプト", "Mısır"),
    "germany": ("Germany", "Deutschland", "Allemagne", "ألمانيا", "जर्मनी", "德国", "ドイツ", "Almanya"),
    "turkey": ("Turkey", "Türkei", "Turquie", "تركيا", "तुर्की", "土耳其", "トルコ", "Türkiye"),
    "japan": ("Japan", "Japan", "Japon", "اليابان", "जापान", "日本", "日本", "Japonya"),
    "china": ("China", "China", "Chine", "الصين", "चीन", "中国", "中華人民共和国", "Çin"),
    "india": ("India", "Indien", "Inde", "الهند", "भारत", "印度", "インド", "Hindistan"),
    "france": ("France", "Frankreich", "France", "فرنسا", "फ़्रान्स", "法国", "フランス", "Fransa"),
}
CITIES = {
    "cairo": ("Cairo", "Kairo", "Le Caire", "القاهرة", "काहिरा", "开罗", "カイロ", "Kahire"),
    "munich": ("Munich", "München", "Munich", "ميونخ", "म्यूनिख", "慕尼黑", "ミュンヘン", "Münih"),
    "istanbul": ("Istanbul", "Istanbul", "Istanbul", "إسطنبول", "इस्तांबुल", "伊斯坦布尔", "イスタンブール", "İstanbul"),
    "isparta": ("Isparta", "Isparta", "Isparta", "إسبرطة", "इस्पार्टा", "伊斯帕尔塔", "ウスパルタ", "Isparta"),
    "tokyo": ("Tokyo", "Tokio", "Tokyo", "طوكيو", "टोक्यो", "东京", "東京", "Tokyo"),
    "beijing": ("Beijing", "Peking", "Pékin", "بكين", "बीजिंग", "北京", "北京", "Pekin"),
    "delhi": ("Delhi", "Delhi", "Delhi", "دلهي", "दिल्ली", "德里", "デリー", "Delhi"),
    "paris": ("Paris", "Paris", "Paris", "باريس", "पेरिस", "巴黎", "パリ", "Paris"),
}
IN = {
    "cairo": "egypt", "munich": "germany", "istanbul": "turkey", "isparta": "turkey", "tokyo": "japan", "beijing": "china",
    "delhi": "india", "paris": "france",
}  # fmt: skip

# language -> a text, and the names in it that mean the entities, in order
TEXTS = {
    "de": (
        "Sie zog von Kairo in Ägypten nach München und später nach Peking.",
        [("Kairo", "cairo"), ("Ägypten", "egypt"), ("München", "munich"), ("Peking", "beijing")],
    ),
    "fr": (
        "Elle a quitté Le Caire pour Pékin, puis l’Allemagne et l'Inde.",
        [("Le Caire", "cairo"), ("Pékin", "beijing"), ("Allemagne", "germany"), ("Inde", "india")],
    ),
    "ar": (
        "سافر أحمد من القاهرة إلى باريس ثم إلى طوكيو في اليابان.",
        [("القاهرة", "cairo"), ("باريس", "paris"), ("طوكيو", "tokyo"), ("اليابان", "japan")],
    ),
    "hi": (
        "वह दिल्ली से टोक्यो गया और फिर भारत लौट आया।",
        [("दिल्ली", "delhi"), ("टोक्यो", "tokyo"), ("भारत", "india")],
    ),
    "zh": (
        "他从北京飞往东京，然后去了法国的巴黎。",
        [("北京", "beijing"), ("东京", "tokyo"), ("法国", "france"), ("巴黎", "paris")],
    ),
    "ja": (
        "彼女は東京からパリへ行き、エジプトのカイロに住んでいる。",
        [("東京", "tokyo"), ("パリ", "paris"), ("エジプト", "egypt"), ("カイロ", "cairo")],
    ),
    "tr": (
        "Bugün hem İstanbul hem Mısır, yarın Isparta ve Hindistan.",
        [("İstanbul", "istanbul"), ("Mısır", "egypt"), ("Isparta", "isparta"), ("Hindistan", "india")],
    ),
}


def build_many_languages(folder: Path) -> KB:
    """Build the KG without a ranker."""
    lines = []
    for name, names in (COUNTRIES | CITIES).items():
        subject = f"<{BASE}{name}>"
        label = "http://www.w3.org/2000/01/rdf-schema#label"
        lines += [f'{subject} <{label}> "{each}"@{tag} .' for tag, each in zip(LANGUAGES, names, strict=True)]
        if name in IN:
            lines.append(f"{subject} <{BASE}in> <{BASE}{IN[name]}> .")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "places.nt").write_text("".join(line + "\n" for line in lines))
    return build_untrained([folder / "places.nt"], folder / "places.kb")


def names_in(language: str) -> dict[str, str]:
    """Return the name of each entity in a language, by its id."""
    place = LANGUAGES.index(language)
    return {BASE + name: names[place] for name, names in (COUNTRIES | CITIES).items()}
