package org.nyala.blind;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.nyala.blind.Names.DESK;
import static org.nyala.blind.Names.GROUPS;
import static org.nyala.blind.Names.LINKS;
import static org.nyala.blind.Names.PEOPLE;
import static org.nyala.blind.Names.TOP;
import static org.nyala.blind.Names.VAULT;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * The entries of one of two directories that look the same, as LDIF with all that servers generate.
 *
 * <p>Confined to one thread.
 */
final class TwinData {
  private static final int PEOPLE_COUNT = 7;

  private final boolean isFirst;
  private final Set<Secret> hidden;
  private final StringBuilder ldif = new StringBuilder();

  private TwinData(boolean isFirst, Set<Secret> hidden) {
    this.isFirst = isFirst;
    this.hidden = hidden;
  }

  /**
   * Returns one of the directories.
   *
   * @param isFirst which one
   * @param hidden what they differ in
   */
  static String ldif(boolean isFirst, Set<Secret> hidden) {
    TwinData data = new TwinData(isFirst, hidden);
    data.tops();
    data.vault();
    data.people();
    data.groups();
    data.desk();
    data.links();
    return data.ldif.toString();
  }

  private boolean differs(Secret secret) {
    return hidden.contains(secret);
  }

  /** Returns the first text for the first directory, and the second for the second. */
  private String either(String first, String second) {
    return isFirst ? first : second;
  }

  private void entry(String name, String... lines) {
    UUID digest = UUID.nameUUIDFromBytes(name.toLowerCase(Locale.ROOT).getBytes(UTF_8));
    ldif.append("dn: ").append(name).append('\n');
    for (String line : lines) {
      if (!line.isEmpty()) {
        ldif.append(line).append('\n');
      }
    }
    String digits = digest.toString().substring(8);
    ldif.append("entryUUID: 00000000").append(digits).append('\n');
    ldif.append("createTimestamp: 20200101000000Z\nmodifyTimestamp: 20200201000000Z\n")
        .append("creatorsName: cn=admin\nmodifiersName: cn=admin\n")
        .append("entryCSN: 20200301000000.000000Z#000000#000#000000\n\n");
  }

  private void unit(String name) {
    String value = name.substring(3, name.indexOf(','));
    entry(name, "objectClass: organizationalUnit", "ou: " + value, "l: start");
  }

  private void tops() {
    entry(TOP, "objectClass: domain", "dc: example", "description: the top");
    for (String each : List.of(PEOPLE, GROUPS, DESK, LINKS)) {
      unit(each);
    }
    Names.TOPS.forEach(each -> unit(Names.fence(each)));
  }

  /** Entries that differ in all, but are in the same place. */
  private void vault() {
    String text = differs(Secret.VAULT) ? either("one", "two") : "one";
    entry(VAULT, "objectClass: device", "cn: vault", "description: " + text);
    if (!differs(Secret.VAULT)) {
      return;
    }
    // The shipped rules show units, and how many entries are below them.
    entry("ou=inner," + VAULT, "objectClass: organizationalRole", "cn: inner role", "ou: inner");
    entry(
        "cn=insiders," + VAULT,
        "objectClass: groupOfNames",
        "cn: insiders",
        "member: " + Names.PERSONS.get(isFirst ? 3 : 4));
    int from = isFirst ? 0 : 4;
    for (int i = from; i < from + (isFirst ? 4 : 3); i++) {
      entry(
          "cn=x " + i + "," + VAULT,
          "objectClass: inetOrgPerson",
          "cn: x " + i,
          "sn: hidden " + i,
          "mail: x" + i + "@example.com",
          "pager: " + i,
          "userPassword: secret",
          "manager: " + Names.ANN);
    }
    groupsInVault();
    if (isFirst) {
      entry(
          "cn=alias," + VAULT,
          "objectClass: alias",
          "objectClass: extensibleObject",
          "cn: alias",
          "aliasedObjectName: " + Names.ANN);
      entry(
          "cn=ref," + VAULT,
          "objectClass: referral",
          "objectClass: extensibleObject",
          "cn: ref",
          "ref: ldap://192.0.2.1/dc=hidden");
      entry(
          "cn=dynamic," + VAULT,
          "objectClass: device",
          "objectClass: dynamicObject",
          "cn: dynamic",
          "entryExpireTimestamp: 29990101000000Z");
    }
  }

  private void groupsInVault() {
    String inner = "ou=inner," + VAULT;
    List<String> members = new ArrayList<>(Names.PERSONS.subList(0, isFirst ? 4 : 1));
    members.addAll(Names.DESK_NAMES.subList(0, isFirst ? 3 : 1));
    members.add(Names.GROUP_NAMES.get(isFirst ? 1 : 3));
    for (int i = isFirst ? 0 : 1; i < (isFirst ? 3 : 2); i++) {
      List<String> lines = new ArrayList<>();
      lines.add("objectClass: groupOfNames");
      lines.add("cn: club " + i);
      lines.add("member: " + inner);
      members.forEach(each -> lines.add("member: " + each));
      entry("cn=club " + i + "," + VAULT, lines.toArray(String[]::new));
    }
    if (isFirst) {
      entry("cn=sub," + inner, "objectClass: groupOfNames", "cn: sub", "member: " + Names.PINNED);
    }
  }

  private void people() {
    for (int i = 0; i < PEOPLE_COUNT; i++) {
      hiddenPerson(i);
      person(i);
    }
  }

  private void hiddenPerson(int i) {
    boolean isThere = isFirst ? i == 0 || i == 3 : i == 2 || i == 4 || i == 5;
    if (!differs(Secret.SIBLINGS) || !isThere) {
      return;
    }
    entry(
        "uid=guest " + i + "," + PEOPLE,
        "objectClass: inetOrgPerson",
        "uid: guest " + i,
        "cn: guest",
        "sn: guest",
        "title: clerk",
        "pager: " + (10 + i),
        "businessCategory: secret",
        "manager: " + Names.ANN,
        "userPassword: secret");
  }

  private void person(int i) {
    String name = Names.PERSONS.get(i);
    String uid = name.substring(4, name.indexOf(','));
    // The clients of the tests may see what is theirs.
    boolean isClient = i < 3;
    List<String> lines = new ArrayList<>();
    lines.add("objectClass: inetOrgPerson");
    lines.add("uid: " + uid);
    lines.add("cn: " + uid + " of the office");
    lines.add("sn: " + uid);
    lines.add("title: " + (i % 2 == 0 ? "clerk" : "smith"));
    lines.add("mail: " + uid + "@example.com");
    lines.add("telephoneNumber: +1 555 00" + i);
    lines.add("manager: " + Names.PERSONS.get(6 - i));
    if (isClient) {
      lines.add("userPassword: secret");
    } else {
      secrets(i, lines);
    }
    entry(name, lines.toArray(String[]::new));
  }

  private void secrets(int i, List<String> lines) {
    if (differs(Secret.PASSWORDS) && (isFirst || i != 4)) {
      lines.add("userPassword: " + either("{SSHA}AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "other " + i));
      lines.add(either("pwdHistory: 20200101000000Z#1.3.6.1.4.1.1466.115.121.1.40#3#abc", ""));
    }
    if (differs(Secret.ATTRIBUTES)) {
      lines.add(either("employeeNumber: " + i, i == 5 ? "employeeNumber: 77" : ""));
      lines.add(either("homePhone: +1 555 1", "homePhone: +1 555 2"));
      lines.add(either("", "pager: " + (20 + i)));
    }
    if (differs(Secret.OPTIONS)) {
      lines.add(either("cn;lang-de: Geheim " + i, i == 3 ? "cn;lang-de: anders" : ""));
    }
    if (differs(Secret.VALUES) && (isFirst ? i == 3 : i == 4)) {
      lines.add("mail: secret@example.com");
    }
    if (differs(Secret.STATE)) {
      lines.add(either("pwdFailureTime: 20200101000000Z", ""));
      lines.add(either(i == 4 ? "pwdAccountLockedTime: 000001010000Z" : "", ""));
      lines.add(either("", "pwdChangedTime: 20200101000000Z"));
    }
  }

  private void groups() {
    group("admins", true, Names.BOSS);
    group("staff", true, Names.ANN, Names.BOB, Names.PERSONS.get(3), Names.PERSONS.get(4));
    group("all", true, Names.GROUP_NAMES.get(0), Names.GROUP_NAMES.get(1));
    group("solo", false, Names.PERSONS.get(5));
    group("crew", false, LINKS, Names.PERSONS.get(3), Names.PERSONS.get(4), Names.PERSONS.get(6));
    if (differs(Secret.SIBLINGS)) {
      entry(
          "cn=hidden " + either("0", "1") + "," + GROUPS,
          "objectClass: groupOfNames",
          "objectClass: extensibleObject",
          "cn: hidden",
          "businessCategory: secret",
          "member: " + either(Names.ANN, Names.BOB));
    }
  }

  private void group(String name, boolean isOwned, String... members) {
    List<String> lines = new ArrayList<>();
    lines.add("objectClass: groupOfNames");
    lines.add("cn: " + name);
    if (isOwned) {
      lines.add("owner: " + Names.BOB);
    }
    for (String each : members) {
      lines.add("member: " + each);
    }
    if (differs(Secret.MEMBERS) && !name.equals("solo")) {
      lines.add(either("member: cn=gone," + VAULT, ""));
      lines.add(either("", name.equals("all") ? "member: ou=inner," + VAULT : ""));
    }
    entry("cn=" + name + "," + GROUPS, lines.toArray(String[]::new));
  }

  private void desk() {
    for (int i = 0; i < 4; i++) {
      if (differs(Secret.SIBLINGS) && (i == 1) == isFirst && i < 2) {
        hiddenThing("cn=hidden " + i + "," + DESK);
      }
      thing(Names.DESK_NAMES.get(i), differs(Secret.ATTRIBUTES) ? either("pager: 4" + i, "") : "");
    }
    thing(Names.PINNED, "");
    thing(Names.TRAY, "");
    if (differs(Secret.CHILDREN) && isFirst) {
      hiddenThing("cn=below," + Names.TRAY);
    }
  }

  private void hiddenThing(String name) {
    thing(name, "businessCategory: secret");
  }

  private void thing(String name, String more) {
    String value = name.substring(3, name.indexOf(','));
    String number = value.replaceAll("\\D", "");
    entry(
        name,
        "objectClass: inetOrgPerson",
        "cn: " + value,
        "sn: thing",
        "description: blue " + number,
        "mail: thing" + number + "@example.com",
        more);
  }

  private void links() {
    alias("to-carl", Names.PERSONS.get(3));
    alias("to-vault", VAULT);
    alias("to-deep", "cn=x 1," + VAULT);
    alias("to-nothing", "cn=x 9," + VAULT);
    alias("to-guest", "uid=guest 3," + PEOPLE);
    entry(
        "cn=away," + LINKS,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "cn: away",
        "ref: ldap://192.0.2.1/dc=away",
        differs(Secret.VALUES) ? either("ref: ldap://192.0.2.1/dc=secret", "") : "");
    if (differs(Secret.SIBLINGS)) {
      entry(
          "cn=hidden " + either("0", "1") + "," + LINKS,
          "objectClass: " + either("alias", "referral"),
          "objectClass: extensibleObject",
          "cn: hidden",
          "businessCategory: secret",
          either("aliasedObjectName: " + Names.ANN, "ref: ldap://192.0.2.1/dc=hidden"));
    }
  }

  private void alias(String name, String target) {
    entry(
        "cn=" + name + "," + LINKS,
        "objectClass: alias",
        "objectClass: extensibleObject",
        "cn: " + name,
        "aliasedObjectName: " + target);
  }
}
