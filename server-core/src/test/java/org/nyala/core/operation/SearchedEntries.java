package org.nyala.core.operation;

import static org.nyala.core.session.OperationFixture.entry;

import java.util.List;
import org.nyala.core.entry.Entry;

/** The entries for tests of searches: people, a subentry, and a referral to other servers. */
final class SearchedEntries {
  static final String TOP = "dc=example,dc=com";
  static final String PEOPLE = "ou=people,dc=example,dc=com";
  static final String ANN = "uid=ann,ou=people,dc=example,dc=com";
  static final String BOB = "uid=bob,ou=people,dc=example,dc=com";
  static final String POLICY = "cn=policy,ou=people,dc=example,dc=com";
  static final String ELSEWHERE = "ou=else where,dc=example,dc=com";
  static final String ORG = "dc=example,dc=org";

  private SearchedEntries() {}

  static List<Entry> entries() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(PEOPLE, "objectClass", "organizationalUnit", "ou", "people"),
        entry(
            ANN,
            "objectClass",
            "inetOrgPerson",
            "uid",
            "ann",
            "cn",
            "Ann",
            "sn",
            "A",
            "userPassword",
            "secret",
            "createTimestamp",
            "20200101000000Z"),
        entry(BOB, "objectClass", "inetOrgPerson", "uid", "bob", "cn", "Bob", "sn", "B"),
        entry(POLICY, "objectClass", "subentry", "cn", "policy", "subtreeSpecification", "{}"),
        entry(
            ELSEWHERE,
            "objectClass",
            "referral",
            "ou",
            "else where",
            "ref",
            "ldap://one.example/ou=x,dc=y",
            "ref",
            "ldaps://two.example:1636",
            "ref",
            "http://three/ label"));
  }

  static Entry alias(String dn, String target) {
    return entry(dn, "objectClass", "alias", "aliasedObjectName", target);
  }
}
