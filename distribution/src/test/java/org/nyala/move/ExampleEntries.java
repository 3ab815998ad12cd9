package org.nyala.move;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * The entries of {@code dc=example,dc=com}: people, groups and what a directory collects in years.
 * The same seed makes the same text. Confined to one thread.
 */
final class ExampleEntries {
  static final String SUFFIX = "dc=example,dc=com";
  static final String PEOPLE = "ou=People," + SUFFIX;
  static final String GROUPS = "ou=Groups," + SUFFIX;
  static final int PERSONS = 480;
  static final int GROUP_COUNT = 60;

  private static final int MEMBERS = 12;
  private static final int PHOTO_EVERY = 16;
  private static final List<String> NAMES =
      List.of("Ada", "Björn", "Chloé", "Dmitri", "Eve", "Fatıma", "Grace", "Hanako");
  private static final List<String> SURNAMES =
      List.of("Berg", "Müller", "O'Neil", "Sato", "van Dijk", "Łukasiewicz", "García", "Wu");

  private final Random random;
  private final byte[] certificate;
  private final LdifText ldif = new LdifText();
  private final List<List<String>> memberships = new ArrayList<>();

  private ExampleEntries(long seed, byte[] certificate) {
    this.random = new Random(seed);
    this.certificate = certificate.clone();
  }

  /**
   * Writes the entries, parents first.
   *
   * @param certificate a certificate in DER, as the value of some entries
   */
  static LdifText of(long seed, byte[] certificate) {
    ExampleEntries entries = new ExampleEntries(seed, certificate);
    entries.chooseMembers();
    entries.containers();
    for (int i = 0; i < PERSONS; i++) {
      entries.addPerson(i);
    }
    entries.groups();
    entries.buildings();
    entries.services();
    entries.oddities();
    return entries.ldif;
  }

  /** Returns the DN of a person. */
  static String person(long number) {
    return "uid=user." + number + "," + PEOPLE;
  }

  private void chooseMembers() {
    for (int i = 0; i < PERSONS; i++) {
      memberships.add(new ArrayList<>());
    }
    for (int group = 0; group < GROUP_COUNT; group++) {
      for (int i = 0; i < MEMBERS; i++) {
        List<String> groups = memberships.get(random.nextInt(PERSONS));
        if (!groups.contains(group(group))) {
          groups.add(group(group));
        }
      }
    }
  }

  private static String group(int number) {
    return "cn=group " + number + "," + GROUPS;
  }

  private void containers() {
    ldif.entry(SUFFIX, "top", "dcObject", "organization")
        .with("dc", "example")
        .with("o", "Example GmbH")
        .with("o;lang-ja", "例株式会社");
    for (String name : List.of("People", "Groups", "Policies", "Services", "Buildings", "Sudo")) {
      ldif.entry("ou=" + name + "," + SUFFIX, "top", "organizationalUnit").with("ou", name);
    }
    policy("default", "86400", "5");
    policy("strict", "3600", "3");
  }

  private void policy(String name, String seconds, String failures) {
    ldif.entry("cn=" + name + ",ou=Policies," + SUFFIX, "top", "device", "pwdPolicy")
        .with("cn", name)
        .with("pwdAttribute", "userPassword")
        .with("pwdMaxFailure", failures)
        .with("pwdLockout", "TRUE")
        .with("pwdLockoutDuration", seconds)
        .with("pwdInHistory", "4")
        .with("pwdMinLength", "6");
  }

  private void addPerson(int number) {
    String given = NAMES.get(random.nextInt(NAMES.size()));
    String surname = SURNAMES.get(random.nextInt(SURNAMES.size()));
    ldif.entry(
            person(number), "top", "inetOrgPerson", "posixAccount", "shadowAccount", "acmePerson")
        .with("uid", "user." + number)
        .with("cn", given + " " + surname)
        .with("sn", surname)
        .with("givenName", given)
        // Two have the same address: slapadd does not check what the overlay unique would refuse.
        .with("mail", "user." + (number == PERSONS - 1 ? 0 : number) + "@example.com")
        .with("uidNumber", Integer.toString(10_000 + number))
        .with("gidNumber", Integer.toString(20_000 + number % GROUP_COUNT))
        .with("homeDirectory", "/home/user." + number)
        .with("loginShell", "/bin/bash")
        .with("shadowLastChange", Integer.toString(19_000 + random.nextInt(500)))
        .with("telephoneNumber", "+49 30 5550-" + number)
        .with("acmeBadge", String.format("B-%05d", number))
        .with("acmeLevel", Integer.toString(random.nextInt(10)))
        .with("acmeCertified", random.nextBoolean() ? "TRUE" : "FALSE")
        .with("acmeHired", "20" + (10 + number % 10) + "0301080000Z")
        .with("userPassword", StoredSecret.of(number).value().getBytes(UTF_8));
    details(number, given);
    account(number);
    memberships.get(number).forEach(group -> ldif.with("memberOf", group));
  }

  private void details(int number, String given) {
    if (number > 0) {
      // Every hundredth manager has left.
      ldif.with("manager", number % 100 == 99 ? person(100_000L + number) : person(number / 8));
    }
    if (number % 3 == 0) {
      ldif.with("cn;lang-ja", given + " さん").with("description;lang-de", "Größe und Maß " + number);
    }
    if (number % 5 == 0) {
      ldif.with("description", ("Long text, number " + number + ". ").repeat(60));
      ldif.with("postalAddress", "Example GmbH$Hauptstraße " + number + "$10115 Berlin");
    }
    if (number % 7 == 0) {
      byte[] key = new byte[48];
      random.nextBytes(key);
      ldif.with(
          "sshPublicKey", "ssh-ed25519 " + Base64.getEncoder().encodeToString(key) + " user@host");
    }
    if (number % PHOTO_EVERY == 0) {
      byte[] photo = new byte[2_000 + random.nextInt(8_000)];
      random.nextBytes(photo);
      System.arraycopy(new byte[] {(byte) 0xFF, (byte) 0xD8, (byte) 0xFF}, 0, photo, 0, 3);
      ldif.with("jpegPhoto", photo);
    }
    if (number % 60 == 0) {
      ldif.with("userCertificate;binary", certificate);
    }
    if (number % 11 == 0) {
      // Sorted by weight, which the overlay valsort takes off.
      ldif.with("acmeSkill", "{2}sailing").with("acmeSkill", "{1}knots");
    }
  }

  /** Adds what the policies have recorded. */
  private void account(int number) {
    ldif.with("pwdChangedTime", "20260101080000Z");
    if (number % 20 == 4) {
      ldif.with(
          "pwdHistory",
          "20250101080000Z#1.3.6.1.4.1.1466.115.121.1.40#38#" + StoredSecret.SSHA.value());
    }
    switch (number) {
      case 21 -> ldif.with("pwdAccountLockedTime", "000001010000Z");
      case 42 ->
          ldif.with("pwdAccountLockedTime", "20260601120000Z")
              .with("pwdFailureTime", "20260601115958Z")
              .with("pwdFailureTime", "20260601115959Z");
      case 63 -> ldif.with("pwdReset", "TRUE");
      case 84 -> ldif.with("pwdPolicySubentry", "cn=strict,ou=Policies," + SUFFIX);
      default -> {}
    }
  }

  private void groups() {
    for (int group = 0; group < GROUP_COUNT; group++) {
      String dn = group(group);
      ldif.entry(dn, "top", "groupOfNames").with("cn", "group " + group);
      for (int i = 0; i < PERSONS; i++) {
        if (memberships.get(i).contains(dn)) {
          ldif.with("member", person(i));
        }
      }
      if (group % 10 == 0) {
        // Left before there was referential integrity.
        ldif.with("member", person(200_000L + group));
      }
    }
    for (int i = 0; i < 20; i++) {
      ldif.entry("cn=posix" + i + "," + GROUPS, "top", "posixGroup")
          .with("cn", "posix" + i)
          .with("gidNumber", Integer.toString(20_000 + i))
          .with("memberUid", "user." + i)
          .with("memberUid", "user." + 2 * i + PERSONS);
    }
    ldif.entry("cn=admins," + GROUPS, "top", "groupOfNames")
        .with("cn", "admins")
        .with("member", person(0))
        .with("member", "cn=admin," + SUFFIX);
    ldif.entry("cn=unique," + GROUPS, "top", "groupOfUniqueNames")
        .with("cn", "unique")
        .with("uniqueMember", person(1))
        .with("uniqueMember", person(300_000L));
  }

  private void buildings() {
    for (int i = 0; i < 16; i++) {
      ldif.entry("acmeBadge=H-" + i + ",ou=Buildings," + SUFFIX, "top", "acmeBuilding")
          .with("acmeBadge", "H-" + i)
          .with("l", i % 2 == 0 ? "Berlin" : "São Paulo");
    }
  }

  private void services() {
    for (String name : List.of("sync", "mailer", "portal", "printers")) {
      ldif.entry("uid=" + name + ",ou=Services," + SUFFIX, "top", "account", "simpleSecurityObject")
          .with("uid", name)
          .with("userPassword", StoredSecret.SSHA512.value().getBytes(UTF_8));
    }
  }

  /** Writes what every grown directory has one of. */
  private void oddities() {
    ldif.entry("ou=Abroad," + SUFFIX, "top", "referral", "extensibleObject")
        .with("ou", "Abroad")
        .with("ref", "ldap://abroad.example.com/ou=Abroad,dc=example,dc=com");
    ldif.entry("uid=chief," + PEOPLE, "top", "alias", "extensibleObject")
        .with("uid", "chief")
        .with("aliasedObjectName", person(0));
    ldif.entry("cn=Smith\\, John+employeeNumber=7," + PEOPLE, "top", "inetOrgPerson")
        .with("cn", "Smith, John")
        .with("cn", "Smith")
        .with("sn", "Smith")
        .with("employeeNumber", "7");
    ldif.entry("cn=Söhne \\+ Töchter," + GROUPS, "top", "organizationalRole")
        .with("cn", "Söhne + Töchter")
        .with("roleOccupant", person(2))
        .with("description", " begins and ends with a blank ");
    ldif.entry("ou=Deep,ou=People," + SUFFIX, "top", "organizationalUnit").with("ou", "Deep");
    ldif.entry("uid=deep,ou=Deep," + PEOPLE, "top", "account")
        .with("uid", "deep")
        .with("entryUUID", UUID.nameUUIDFromBytes("deep".getBytes(UTF_8)).toString());
  }
}
