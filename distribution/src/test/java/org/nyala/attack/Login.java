package org.nyala.attack;

/** Name and password of somebody. Immutable. */
record Login(String dn, String password) {
  static final String SUFFIX = "dc=example,dc=com";

  static final Login ROOT = new Login("cn=admin", "admin");

  /** A person of the sample. */
  static Login of(int person) {
    return new Login("uid=user." + person + ",ou=People," + SUFFIX, "password." + person);
  }

  /** An entry among the hostile ones, with a password that is wrong. */
  static Login hostile(String name) {
    return new Login("cn=" + name + ",ou=Hostile," + SUFFIX, "wrong");
  }
}
