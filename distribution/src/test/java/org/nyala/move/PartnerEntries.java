package org.nyala.move;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Random;

/** The entries of {@code o=partners}; the same seed makes the same text. Stateless. */
final class PartnerEntries {
  static final String SUFFIX = "o=partners";
  static final int COMPANIES = 6;
  static final int PERSONS = 51;

  private PartnerEntries() {}

  /** Writes the entries, parents first. */
  static LdifText of(long seed) {
    Random random = new Random(seed);
    LdifText ldif = new LdifText();
    ldif.entry(SUFFIX, "top", "organization").with("o", "partners");
    for (int i = 0; i < COMPANIES; i++) {
      ldif.entry("ou=Company " + i + "," + SUFFIX, "top", "organizationalUnit")
          .with("ou", "Company " + i)
          .with("description;lang-fr", "Société n° " + i);
    }
    for (int i = 0; i < PERSONS; i++) {
      ldif.entry(
              "mail=p" + i + "@partner.example,ou=Company " + i % COMPANIES + "," + SUFFIX,
              "top",
              "inetOrgPerson")
          .with("mail", "p" + i + "@partner.example")
          .with("cn", "Partner " + i)
          .with("sn", "Nº " + random.nextInt(1000))
          .with("userPassword", StoredSecret.of(i).value().getBytes(UTF_8));
    }
    ldif.entry("cn=contacts," + SUFFIX, "top", "groupOfNames")
        .with("cn", "contacts")
        .with("member", "mail=p0@partner.example,ou=Company 0," + SUFFIX)
        // A member of the other naming context.
        .with("member", ExampleEntries.person(3));
    return ldif;
  }
}
