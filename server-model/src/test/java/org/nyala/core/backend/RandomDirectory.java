package org.nyala.core.backend;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.Schema;

/**
 * Makes directories of random entries: the same seed makes the same entries. Parents come before
 * children; the top is {@code dc=example,dc=com}.
 */
public final class RandomDirectory {
  private static final String[] WORDS = {
    "ash",
    "Beech",
    "CEDAR",
    "dog wood",
    "elm",
    "Fir",
    "ginkgo",
    "Äsche",
    "straße",
    "日本",
    "a",
    "b*c",
    "  pine "
  };
  private static final String[] RDN_WORDS = {"ash", "Beech", "dog wood", "Äsche", "fir tree"};

  private final Schema schema;
  private final Random random;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Entry> parents = new ArrayList<>();
  private boolean withSpecialEntries;

  /** Starts a directory. */
  public RandomDirectory(Schema schema, long seed) {
    this.schema = schema;
    this.random = new Random(seed);
  }

  /** Includes referral objects, aliases and subentries. */
  public RandomDirectory withSpecialEntries() {
    withSpecialEntries = true;
    return this;
  }

  /** Makes a directory of {@code count} entries, the top included. */
  public List<Entry> entries(int count) {
    Entry top = entry("dc=example,dc=com");
    add(top, "objectClass", "top", "dcObject", "organization");
    add(top, "dc", "example");
    add(top, "o", "Example");
    keep(top, true);
    while (entries.size() < count) {
      Entry parent = parents.get(random.nextInt(parents.size()));
      int kind = random.nextInt(withSpecialEntries ? 20 : 17);
      switch (kind) {
        case 17 -> referral(parent);
        case 18 -> alias(parent);
        case 19 -> subentry(parent);
        case 0, 1, 2 -> unit(parent);
        default -> person(parent);
      }
    }
    return List.copyOf(entries);
  }

  private void keep(Entry entry, boolean mayBeParent) {
    AttributeDescription uuid = description("entryUUID");
    entry.add(uuid, bytes(new UUID(random.nextLong(), random.nextLong()).toString()));
    entries.add(entry);
    if (mayBeParent) {
      parents.add(entry);
    }
  }

  private void unit(Entry parent) {
    String rdn = pick(RDN_WORDS) + entries.size();
    Entry unit = entry("ou=" + rdn + "," + parent.dn());
    add(unit, "objectClass", "top", "organizationalUnit");
    add(unit, "ou", rdn);
    maybe(unit, "description", 3);
    keep(unit, true);
  }

  private void person(Entry parent) {
    int number = entries.size();
    Entry person =
        entry((random.nextBoolean() ? "uid=User" : "UID=user") + number + "," + parent.dn());
    add(person, "objectClass", "top", "person", "organizationalPerson", "inetOrgPerson");
    add(person, "uid", "user" + number);
    add(person, "cn", pick(WORDS) + ' ' + pick(WORDS), "number  " + number);
    add(person, "sn", pick(WORDS));
    maybe(person, "cn;lang-de", 4);
    maybe(person, "givenName", 2);
    maybe(person, "description", 2);
    if (random.nextBoolean()) {
      add(person, "mail", pick("ash", "elm", "Fir") + random.nextInt(20) + "@Example.com");
    }
    if (random.nextBoolean()) {
      add(person, "employeeNumber", "" + random.nextInt(50));
      add(person, "objectClass", "posixAccount");
      add(person, "uidNumber", "" + (random.nextInt(200) - 100));
      add(person, "gidNumber", "" + random.nextInt(5));
      add(person, "homeDirectory", "/home/" + number);
    }
    if (random.nextInt(3) == 0) {
      add(person, "telephoneNumber", "+1 555 " + (1000 + random.nextInt(30)));
      add(person, "userPassword", "secret" + number);
    }
    if (random.nextInt(3) == 0) {
      add(person, "manager", parents.get(random.nextInt(parents.size())).dn().toString());
    }
    if (random.nextBoolean()) {
      add(person, "createTimestamp", "20" + (10 + random.nextInt(20)) + "0101120000Z");
    }
    keep(person, random.nextInt(10) == 0);
  }

  private void referral(Entry parent) {
    int number = entries.size();
    Entry referral = entry("ou=elsewhere" + number + "," + parent.dn());
    add(referral, "objectClass", "top", "referral", "extensibleObject");
    add(referral, "ou", "elsewhere" + number);
    add(referral, "ref", "ldap://other.example.com/ou=there" + number + ",dc=example,dc=org");
    keep(referral, false);
  }

  private void alias(Entry parent) {
    int number = entries.size();
    Entry alias = entry("cn=alias" + number + "," + parent.dn());
    add(alias, "objectClass", "top", "alias", "extensibleObject");
    add(alias, "cn", "alias" + number);
    add(alias, "aliasedObjectName", entries.get(random.nextInt(entries.size())).dn().toString());
    keep(alias, false);
  }

  private void subentry(Entry parent) {
    int number = entries.size();
    Entry subentry = entry("cn=policy" + number + "," + parent.dn());
    add(subentry, "objectClass", "top", "subentry");
    add(subentry, "cn", "policy" + number);
    add(subentry, "subtreeSpecification", "{}");
    keep(subentry, false);
  }

  private void maybe(Entry entry, String attribute, int oneIn) {
    if (random.nextInt(oneIn) == 0) {
      add(entry, attribute, pick(WORDS) + ' ' + pick(WORDS));
    }
  }

  private String pick(String... words) {
    return words[random.nextInt(words.length)];
  }

  private Entry entry(String dn) {
    return new Entry(dn(schema, dn));
  }

  private void add(Entry entry, String attribute, String... values) {
    for (String value : values) {
      entry.add(description(attribute), bytes(value));
    }
  }

  private AttributeDescription description(String attribute) {
    AttributeDescription description = AttributeDescription.parse(schema, attribute);
    if (description == null) {
      throw new IllegalStateException("unknown in the schema: " + attribute);
    }
    return description;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Parses a valid name. */
  public static Dn dn(Schema schema, String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
