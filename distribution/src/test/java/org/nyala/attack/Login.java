package org.nyala.attack;

/** The name and password of an account. Immutable. */
record Login(String dn, String password) {
  static final String SUFFIX = "dc=example,dc=com";

  static final Login ROOT = new Login("cn=admin", "admin");

  /** Returns the login of a person of the sample. */
  static Login of(int person) {
    return new Login("uid=user." + person + ",ou=People," + SUFFIX, "password." + person);
  }

  /** Returns the login of a hostile entry, with a wrong password. */
  static Login hostile(String name) {
    return new Login("cn=" + name + ",ou=Hostile," + SUFFIX, "wrong");
  }
}
