package org.nyala.attack;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Entries that cost more than others to search, beside a sample of people. */
final class HostileData {
  static final int LARGE = 20_000;
  static final int HUGE = 50_000;
  static final int UIDS = 100_000;
  static final int CHAIN = 100;

  private static final int WIDE = 50;
  private static final int KEYS = 200;
  private static final int LONG_VALUES = 8;
  private static final int LONG_CHARACTERS = 100_000;
  private static final String HASH = "/".repeat(86);

  private HostileData() {}

  /** Appends them to a file. */
  static void append(Path ldif) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(ldif, StandardOpenOption.APPEND)) {
      out.write("\ndn: ou=Hostile," + Login.SUFFIX + "\nobjectClass: organizationalUnit\n");
      out.write("ou: Hostile\n\n");
      group(out, "large", LARGE);
      group(out, "huge", HUGE);
      uids(out);
      chain(out);
      person(out, "slow", "userPassword: {CRYPT}$6$rounds=100000$saltsalt$" + HASH + "\n");
      person(out, "grower", "");
      person(out, "long", longValues());
      for (int i = 0; i < WIDE; i++) {
        person(out, "wide." + i, keys(i));
      }
    }
  }

  /** Appends an entry whose password takes hours to verify; an import may reject it. */
  static void appendEndless(Path ldif) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(ldif, StandardOpenOption.APPEND)) {
      person(out, "endless", "userPassword: {CRYPT}$6$rounds=999999999$saltsalt$" + HASH + "\n");
    }
  }

  private static void group(Writer out, String name, int members) throws IOException {
    out.write("dn: cn=" + name + ",ou=Hostile," + Login.SUFFIX + "\nobjectClass: groupOfNames\n");
    out.write("cn: " + name + "\n");
    for (int i = 0; i < members; i++) {
      out.write("member: " + Login.of(i).dn() + "\n");
    }
    out.write("\n");
  }

  private static void uids(Writer out) throws IOException {
    out.write("dn: cn=uids,ou=Hostile," + Login.SUFFIX + "\nobjectClass: posixGroup\n");
    out.write("cn: uids\ngidNumber: 1\n");
    for (int i = 0; i < UIDS; i++) {
      out.write("memberUid: user." + i + "\n");
    }
    out.write("\n");
  }

  /** Writes groups of which each is a member of the next one. */
  private static void chain(Writer out) throws IOException {
    for (int i = 0; i < CHAIN; i++) {
      String member = i == 0 ? Login.of(0).dn() : Login.hostile("chain." + (i - 1)).dn();
      out.write("dn: cn=chain." + i + ",ou=Hostile," + Login.SUFFIX);
      out.write("\nobjectClass: groupOfNames\ncn: chain." + i + "\nmember: " + member + "\n\n");
    }
  }

  private static void person(Writer out, String name, String more) throws IOException {
    out.write("dn: cn=" + name + ",ou=Hostile," + Login.SUFFIX + "\nobjectClass: inetOrgPerson\n");
    out.write("cn: " + name + "\nsn: " + name + "\n" + more + "\n");
  }

  private static String longValues() {
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < LONG_VALUES; i++) {
      values.append("description: ").append(i).append("abcdefghi ".repeat(LONG_CHARACTERS / 10));
      values.append("z\n");
    }
    return values.toString();
  }

  private static String keys(int entry) {
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < KEYS; i++) {
      values.append("cn: key ").append(i).append(" of ").append(entry).append('\n');
      values.append("description: what key ").append(i).append(" of ").append(entry);
      values.append(" is for\n");
    }
    return values.toString();
  }
}
