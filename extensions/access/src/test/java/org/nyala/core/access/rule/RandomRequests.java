package org.nyala.core.access.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;

/**
 * Makes random clients and questions for {@link RandomRules}: the same seed makes the same ones.
 */
public final class RandomRequests {
  private static final String ANN = "uid=ann,ou=people,dc=example,dc=com";
  private static final String BOB = "UID=Bob, OU=People,dc=example,dc=com";
  private static final String ADMINS = "cn=admins,ou=groups,dc=example,dc=com";
  private static final String STAFF = "cn=staff,ou=groups,dc=example,dc=com";

  /** The entries of the tree: people, and groups that contain each other. */
  public static final List<PlainEntry> ENTRIES =
      List.of(
          entry("", "objectClass", "top"),
          entry("cn=Monitor", "objectClass", "top"),
          entry("dc=example,dc=com", "objectClass", "dcObject", "objectClass", "organization"),
          entry("ou=people,dc=example,dc=com", "objectClass", "organizationalUnit", "owner", ANN),
          entry("ou=groups,dc=example,dc=com", "objectClass", "organizationalUnit"),
          entry(
              ANN, "objectClass", "inetOrgPerson", "cn", "Ann", "cn;lang-de", "Anna", "sn", "(x)"),
          entry(BOB, "objectClass", "inetOrgPerson", "cn", "Bob", "sn", "x", "mail", "bob@x.org"),
          entry("cn=ann+uid=ann,ou=people,dc=example,dc=com", "objectClass", "person", "cn", "ann"),
          entry("cn=book," + ANN, "objectClass", "groupOfNames", "member", BOB, "owner", ANN),
          entry(ADMINS, "objectClass", "groupOfNames", "member", STAFF, "member", ANN),
          entry(
              STAFF,
              "objectClass",
              "groupOfUniqueNames",
              "member",
              ADMINS,
              "uniqueMember",
              BOB,
              "uniqueMember",
              ADMINS));

  private static final List<String> VALUES =
      List.of(ANN, BOB, "Ann", "ann \"a\"", STAFF, "ou=people,dc=example,dc=com");

  private static final List<String> USERS =
      List.of(ANN, BOB, "cn=book," + ANN, "dc=example,dc=com", "cn=nobody,dc=example,dc=com");

  private static final List<String> ADDRESSES =
      List.of("192.0.2.7", "192.0.2.8", "10.127.0.1", "10.128.0.1", "2001:db8::1", "::1", "");

  private final Random random;

  /** Starts a series of requests. */
  public RandomRequests(long seed) {
    this.random = new Random(seed);
  }

  private static PlainEntry entry(String name, String... attributesAndValues) {
    Map<String, List<String>> attributes = new TreeMap<>();
    for (int i = 0; i < attributesAndValues.length; i += 2) {
      attributes
          .computeIfAbsent(attributesAndValues[i], _ -> new ArrayList<>())
          .add(attributesAndValues[i + 1]);
    }
    return new PlainEntry(name, attributes);
  }

  /** Returns a random client. */
  public Client client() {
    boolean isBound = random.nextInt(4) > 0;
    String name = isBound ? one(USERS) : "";
    String mechanism = isBound ? one(List.of("simple", "EXTERNAL", "GSSAPI")) : "";
    String address = one(ADDRESSES);
    int transport = address.isEmpty() ? 71 : 0;
    return new Client(name, address, bits(), isBound ? bits() : 0, transport, mechanism);
  }

  private int bits() {
    return one(List.of(0, 0, 56, 128, 256));
  }

  /** Returns a random question about one of {@link #ENTRIES}. */
  public Question question() {
    List<String> attributes = new ArrayList<>(RandomRules.ATTRIBUTES);
    attributes.add("entry");
    attributes.add("children");
    String attribute = one(attributes);
    boolean hasValue = !attribute.equals("entry") && !attribute.equals("children");
    return new Question(
        one(ENTRIES), attribute, hasValue && random.nextBoolean() ? one(VALUES) : null);
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
