"""Words that names gain and lose without meaning anything else, and common words of the language.

All words are normalised (`text.normalize`): small letters, no accents, no dots ("g.m.b.h." is gmbh).
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from eigenthemes.text.stems import stem

# kinds of words, as bits
ARTICLE, TITLE, LEGAL_FORM, FUNCTION = 1, 2, 4, 8

ARTICLES = {
    "en": frozenset("the a an".split()),
    "de": frozenset("der die das den dem des ein eine einer eines einem einen".split()),
    "fr": frozenset("le la les l un une des".split()),
    "es": frozenset("el la los las lo un una unos unas".split()),
}
TITLES = frozenset(
    """mr mrs ms miss mx sir dame lord lady dr prof professor sen senator rep representative congressman congresswoman gov
    governor president pres vice rev reverend fr capt captain cpt col colonel lt lieutenant sgt sergeant maj major gen general
    adm admiral judge justice hon honourable honorable rt mp king queen prince princess pope minister secretary chancellor
    mayor ambassador chairman ceo herr frau dipl ing monsieur m mme mlle madame mademoiselle maitre senor senora senorita sr
    sra don dona signor signora bay bayan""".split()
)
# titles that are never a part of another name, as General and Major are
CLEAR_TITLES = frozenset("mr mrs ms mx sir dame dr prof sen rep gov rt hon herr frau mme mlle senor senora".split())
LEGAL_FORMS = frozenset(
    """inc incorporated corp corporation co company companies ltd limited llc lp llp lllp pllc pc plc gmbh mbh ag kg kgaa ohg
    gbr ug ev eg se sa sas sasu sarl eurl snc srl spa sapa nv bv vof ab as asa oy oyj aps kk pty pte pvt bhd sdn tbk sab cv sl
    slu ltda sca holding holdings group ads adr trust anonim sirketi""".split()
)
FUNCTION_WORDS = {
    "en": frozenset("of and for in on at to by with from or the".split()),
    "de": frozenset("und oder von vom fur in im am an zu zur zum mit auf aus bei der die das den dem des".split()),
    "fr": frozenset("et ou de du des d en au aux pour par sur dans avec le la les l".split()),
    "es": frozenset("y de del en con por para al el la los las".split()),
    "tr": frozenset("ve ile".split()),
}
# Frequent first names: a KG of which many labels begin with one is about persons.
GIVEN_NAMES = frozenset(
    """john james robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark donald
    steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric
    jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry tyler
    aaron henry peter adam nathan zachary walter kyle harold carl arthur roger keith alan simon neil graham philip martin stuart
    nigel chris steve tom tim ben dan nick jim bob bill mike joe ian luke oliver harry alex edward fred albert ernest ralph
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret sandra ashley kimberly
    emily donna michelle carol amanda melissa deborah stephanie rebecca laura helen sharon cynthia kathleen amy angela anna emma
    nicole samantha katherine christine rachel carolyn maria julia alice ann anne jane kate lucy claire diana ruth rosie
    hans klaus wolfgang jurgen karl heinz stefan andreas christian matthias ursula monika petra sabine friedrich johann ludwig
    jean pierre michel jacques philippe marie francoise louis francois henri andre claude alain bernard catherine nathalie
    jose juan antonio carlos luis manuel francisco carmen jorge miguel pedro fernando giovanni giuseppe marco paolo luigi
    mehmet ahmet mustafa ali fatma ayse hasan huseyin ivan vladimir sergei yuri mohammed muhammad ahmed
    abigail adrian aidan alejandro alfred alison allan alvin andrea angelo annie antoine arnold arturo barry beatrice becky
    bernice beth bethany betsy beverly billy bobby brad bradley brenda brent brett bruce bryan calvin cameron carla caroline
    cathy cecilia charlie cheryl christina christy cindy claudia clifford connie corey danielle danny darren darryl dave debbie
    debra denise derek diane dolores donnie doris dorothy doug duane dustin dwayne dylan eddie edgar edith eduardo edwin eileen
    elaine eleanor ellen emilio enrique erica erik erin ernesto esther ethan eugene evelyn felipe frances francine francis
    freddie gabriel gail gerald gilbert gina gladys glenn greg guillermo gwen hannah harriet heidi henrik herbert herman hugh
    isaac isabel jackie jaime jamie janet janice jared jasmine jeanne jeff jenna jenny jeremy jesse jessie jill jimmy joan joann
    joanne jody joel johnny jon jonas joyce juanita judith judy julian julie julio kathryn kathy katie kayla keisha kenny
    kristen kristin kyra lauren leah leon leonard leroy leslie lillian liz lois loretta lori lorraine louise lucas lucille lynn
    malcolm marc marcia marcus margie marianne marilyn marjorie marlene marta marvin matt maureen maurice megan melanie michele
    mildred miriam molly nadine naomi natalie nathaniel neal ned noah nora norma olivia owen pam pamela patty paula pauline
    peggy pete phil phillip phyllis rafael ramon randall randy raul renee rhonda ricardo rick ricky rita robbie roberta roberto
    rodney ron ronnie rosa rosemary roy ruben russ sally sam sara sean sergio seth shane shaun shawn sheila shelley sherry
    shirley sidney sophia sophie stacy stan suzanne sylvia tamara tammy tanya ted teresa terri terry theodore theresa tiffany
    tina todd tommy toni tony travis vanessa vera vicki vincent vivian wanda wendy wesley willie yolanda yvonne zoe""".split()
)
# Spellings of one word; each stands for the first of its line.
_EQUIVALENT = """
inc incorporated
corp corporation
ltd limited
co company
and und et y e
dr doctor
prof professor
sen senator
rep representative
gov governor
pres president
st saint sankt
mt mount
ft fort
intl international
natl national
univ university universitat universite
dept department
assn association
bros brothers
jr junior
sr senior
2 ii
3 iii
4 iv
6 vi
7 vii
8 viii
9 ix
11 xi
12 xii
13 xiii
14 xiv
15 xv
16 xvi
"""
EQUIVALENT = {word: line.split()[0] for line in _EQUIVALENT.strip().splitlines() for word in line.split()}

# share of its information that it costs to drop or add a word; of members of parliament in cells as "Mr. Cantwell", .98 are
# right with .03, and .80 with .1
COST_OF_NAMING, COST_OF_FUNCTION = 0.03, 0.3


@cache
def kinds_of_weak_words(languages: tuple[str, ...], without: int = 0) -> dict[str, int]:
    """Return the kinds (bits) of each weak word but some kinds; titles and legal forms are those of all languages."""
    lists = [(TITLES, TITLE), (LEGAL_FORMS, LEGAL_FORM)]
    lists += [(ARTICLES.get(language, frozenset()), ARTICLE) for language in languages]
    lists += [(FUNCTION_WORDS.get(language, frozenset()), FUNCTION) for language in languages]
    kinds: dict[str, int] = {}
    for words, kind in lists:
        for word in words if not kind & without else ():
            kinds[word] = kinds.get(word, 0) | kind
    return kinds


@cache
def common_words() -> frozenset[str]:
    """Return the common words of English, and the commonest of German, French, Spanish and Italian."""
    lines = files("eigenthemes").joinpath("data/common_words.txt").read_text(encoding="ascii").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


@lru_cache(maxsize=1 << 15)
def is_common(word: str) -> bool:
    """Return whether a word is a common one, or a form of one: it is not a misspelled name."""
    common = common_words()
    return word in common or word in GIVEN_NAMES or stem(word, "en") in common


def is_participle(word: str) -> bool:
    """Return whether a word is a participle of a common English verb ("affected"): it describes, and names nothing.

    Short ones may be something else ("red", German "Lied").
    """
    common = common_words()
    return len(word) > 5 and word.endswith("ed") and not word.endswith("eed") and (word[:-2] in common or word[:-1] in common)
