"""Connections of python-ldap to the server under test."""

import ldap
import ldap.ldapobject

from directory import ROOT, ROOT_PASSWORD, URL

TIMEOUT_SECONDS = 60


def connect(name=ROOT, password=ROOT_PASSWORD):
    """Returns a connection that has bound, unless the name is None."""
    return opened(ldap.ldapobject.SimpleLDAPObject, name, password)


def opened(type, name=ROOT, password=ROOT_PASSWORD):
    """Returns a connection of a type, as connect does."""
    connection = type(URL)
    connection.set_option(ldap.OPT_REFERRALS, 0)
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, TIMEOUT_SECONDS)
    connection.timeout = TIMEOUT_SECONDS
    if name is not None:
        connection.simple_bind_s(name, password)
    return connection
