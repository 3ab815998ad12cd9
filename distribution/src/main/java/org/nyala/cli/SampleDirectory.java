package org.nyala.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.SplittableRandom;
import org.nyala.core.bytes.ByteDigest;

/**
 * A made-up directory of people for tests and benchmarks, written as LDIF.
 *
 * <p>Person N is {@code uid=user.N,ou=People,dc=example,dc=com}, with the password {@code
 * password.N}. A person depends on the seed and on N only, so that a larger sample begins with the
 * smaller one. Confined to one thread.
 */
public final class SampleDirectory {
  /** The naming context. */
  public static final String SUFFIX = "dc=example,dc=com";

  public static final long DEFAULT_SEED = 20060412;

  private static final int GROUPS = 10;
  private static final int MEMBERS_PER_GROUP = 50;
  private static final int SALT_BYTES = 8;
  private static final int FIRST_ID_NUMBER = 10_000;

  private static final String[] TITLES = {
    "Accountant", "Analyst", "Architect", "Buyer", "Chemist", "Clerk", "Consultant", "Controller",
    "Designer", "Editor", "Engineer", "Geologist", "Librarian", "Machinist", "Nurse", "Physicist",
    "Planner", "Recruiter", "Researcher", "Surveyor", "Teacher", "Technician", "Translator",
        "Writer"
  };
  private static final String[] PLACES = {
    "Aarhus",
    "Accra",
    "Adelaide",
    "Antwerp",
    "Bergen",
    "Bilbao",
    "Bologna",
    "Bristol",
    "Calgary",
    "Cork",
    "Dakar",
    "Denver",
    "Durban",
    "Fukuoka",
    "Ghent",
    "Graz",
    "Haifa",
    "Hobart",
    "Izmir",
    "Kampala",
    "Krakow",
    "Leipzig",
    "Lima",
    "Lyon",
    "Malmo",
    "Nagoya",
    "Oaxaca",
    "Osaka",
    "Porto",
    "Pune",
    "Quito",
    "Reykjavik",
    "Rosario",
    "Seville",
    "Tallinn",
    "Tampere",
    "Utrecht",
    "Zagreb"
  };
  private static final String[] SUBJECTS = {
    "budgets", "catalogues", "contracts", "deliveries", "field trips", "inventories", "invoices",
    "laboratories", "manuals", "measurements", "newsletters", "orders", "prototypes", "repairs",
    "schedules", "spare parts", "suppliers", "timetables", "training", "warehouses"
  };
  private static final String[] WAYS = {
    "looks after", "answers questions about", "keeps the records of", "plans", "reviews",
    "reports on", "coordinates", "is learning about", "signs off", "writes guidelines for"
  };

  private final int people;
  private final long seed;
  private final String[] givenNames = words("given-names.txt");
  private final String[] surnames = words("surnames.txt");
  private final MessageDigest sha1 = ByteDigest.of("SHA-1");
  private final byte[] salt = new byte[SALT_BYTES];
  private final StringBuilder record = new StringBuilder(1024);

  /**
   * Creates a sample.
   *
   * @param people the number of people, at least 1
   * @param seed the seed of the random names
   */
  public SampleDirectory(int people, long seed) {
    if (people < 1) {
      throw new IllegalArgumentException("a sample of " + people + " people");
    }
    this.people = people;
    this.seed = seed;
  }

  /** Returns the number of entries that {@link #writeTo} writes. */
  int entries() {
    return people + 3 + groups();
  }

  /** Writes the LDIF, parents before children; the stream stays open. */
  public void writeTo(OutputStream out) throws IOException {
    writeTop(out);
    for (int n = 0; n < people; n++) {
      writePerson(out, n);
    }
    for (int group = 0; group < groups(); group++) {
      writeGroup(out, group);
    }
  }

  private int groups() {
    return Math.min(GROUPS, people);
  }

  private void writeTop(OutputStream out) throws IOException {
    line("dn", SUFFIX);
    line("objectClass", "top");
    line("objectClass", "organization");
    line("objectClass", "dcObject");
    line("dc", "example");
    line("o", "Example");
    for (String unit : new String[] {"People", "Groups"}) {
      record.append('\n');
      line("dn", "ou=" + unit + "," + SUFFIX);
      line("objectClass", "top");
      line("objectClass", "organizationalUnit");
      line("ou", unit);
    }
    flush(out);
  }

  private void writePerson(OutputStream out, int n) throws IOException {
    SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + n);
    String givenName = pick(random, givenNames);
    String surname = pick(random, surnames);
    String idNumber = Integer.toString(FIRST_ID_NUMBER + n);
    line("dn", personDn(n));
    line("objectClass", "top");
    line("objectClass", "person");
    line("objectClass", "organizationalPerson");
    line("objectClass", "inetOrgPerson");
    line("objectClass", "posixAccount");
    line("uid", "user." + n);
    line("cn", givenName + " " + surname);
    line("sn", surname);
    line("givenName", givenName);
    line("mail", "user." + n + "@example.com");
    line("telephoneNumber", telephoneNumber(random));
    line("title", pick(random, TITLES));
    line("street", (1 + random.nextInt(200)) + " " + pick(random, surnames) + " Street");
    line("l", pick(random, PLACES));
    line("postalCode", Integer.toString(10_000 + random.nextInt(90_000)));
    line("employeeNumber", Integer.toString(n));
    line("uidNumber", idNumber);
    line("gidNumber", Integer.toString(100 + random.nextInt(100)));
    line("homeDirectory", "/home/user." + n);
    line("userPassword", password(random, n));
    line("description", description(random, givenName));
    flush(out);
  }

  private void writeGroup(OutputStream out, int group) throws IOException {
    line("dn", "cn=team." + group + ",ou=Groups," + SUFFIX);
    line("objectClass", "top");
    line("objectClass", "groupOfNames");
    line("cn", "team." + group);
    line("description", "Every " + groups() + "th person, beginning with user." + group);
    for (int member = 0; member < MEMBERS_PER_GROUP; member++) {
      int n = group + member * groups();
      if (n < people) {
        line("member", personDn(n));
      }
    }
    flush(out);
  }

  private static String personDn(int n) {
    return "uid=user." + n + ",ou=People," + SUFFIX;
  }

  private static String telephoneNumber(SplittableRandom random) {
    return "+1 555 " + (100 + random.nextInt(900)) + " " + (1000 + random.nextInt(9000));
  }

  private static String description(SplittableRandom random, String givenName) {
    return givenName
        + " "
        + pick(random, WAYS)
        + " "
        + pick(random, SUBJECTS)
        + " and "
        + pick(random, WAYS)
        + " "
        + pick(random, SUBJECTS)
        + " in "
        + pick(random, PLACES)
        + ".";
  }

  private String password(SplittableRandom random, int n) {
    random.nextBytes(salt);
    sha1.update(("password." + n).getBytes(US_ASCII));
    byte[] digest = sha1.digest(salt);
    byte[] digestAndSalt = Arrays.copyOf(digest, digest.length + SALT_BYTES);
    System.arraycopy(salt, 0, digestAndSalt, digest.length, SALT_BYTES);
    return "{SSHA}" + Base64.getEncoder().encodeToString(digestAndSalt);
  }

  private void line(String attribute, String value) {
    record.append(attribute);
    if (isAscii(value)) {
      record.append(": ").append(value);
    } else {
      record.append(":: ").append(Base64.getEncoder().encodeToString(value.getBytes(UTF_8)));
    }
    record.append('\n');
  }

  /**
   * Returns whether a value is ASCII. Every value here begins with a letter, a digit, '{', '/' or
   * '+', so that no other condition of RFC 2849's SAFE-STRING remains.
   */
  private static boolean isAscii(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  private void flush(OutputStream out) throws IOException {
    record.append('\n');
    out.write(record.toString().getBytes(US_ASCII));
    record.setLength(0);
  }

  private static String pick(SplittableRandom random, String[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  private static String[] words(String resource) {
    try (InputStream in = SampleDirectory.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return new String(in.readAllBytes(), UTF_8).trim().split("\\s+");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
