"""The directory of the tests in this folder: clients.ldif, served by the test that runs them."""

import os

URL = os.environ["NYALA_URL"]
SUFFIX = "dc=example,dc=com"
PEOPLE = "ou=People," + SUFFIX
ADA = "uid=ada," + PEOPLE
ZOE = "uid=zoë," + PEOPLE
TEAM = "cn=team,ou=Places," + SUFFIX
REFERRAL = "cn=elsewhere,ou=Places," + SUFFIX
ROOT = "cn=admin," + SUFFIX
ROOT_PASSWORD = "admin"

# Object identifiers without names in the libraries.
TREE_DELETE = "1.2.840.113556.1.4.805"
PERMISSIVE_MODIFY = "1.2.840.113556.1.4.1413"
NO_OP = "1.3.6.1.4.1.4203.666.5.2"
PAGED_RESULTS = "1.2.840.113556.1.4.319"
SORT_REQUEST = "1.2.840.113556.1.4.473"
SORT_RESPONSE = "1.2.840.113556.1.4.474"
LIST_VIEW_REQUEST = "2.16.840.1.113730.3.4.9"
LIST_VIEW_RESPONSE = "2.16.840.1.113730.3.4.10"
ASSERTION = "1.3.6.1.1.12"
PROXIED_AUTHORIZATION = "2.16.840.1.113730.3.4.18"
START_TRANSACTION = "1.3.6.1.1.21.1"
TRANSACTION = "1.3.6.1.1.21.2"
END_TRANSACTION = "1.3.6.1.1.21.3"
ASSERTION_FAILED = 122
NO_OPERATION = 16654

# Every possible octet, after the beginning of a JPEG file.
PICTURE = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 40 + b"\xff\xd9"

MEMBERS = 20_000


def member(number):
    """Returns the name of a member of a large group."""
    return "uid=member%05d,ou=Crew,%s" % (number, SUFFIX)
