package org.nyala.tarball;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyDNRequest;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One client of a storm of writes: it changes entries of its own, one request after the other, and
 * records which changes were acknowledged and which was under way when the connection broke.
 *
 * <p>Confined to one thread at a time, except for {@link #acknowledged}.
 */
final class StormWriter {
  static final String BASE = "ou=storm,dc=example,dc=com";
  static final String GROUP = "cn=members,dc=example,dc=com";

  private static final int ENTRIES = 40;

  /** The facts that a request changes, with their new values; null if there is none. */
  private record Transition(Map<String, @Nullable String> after) {}

  private final int number;
  private final Random random;

  /** The acknowledged facts: {@code entry NAME} to a number, {@code member NAME} to "in". */
  private final Map<String, String> facts = new HashMap<>();

  private @Nullable Transition underWay;
  private int sequence;
  private int names;
  private final AtomicLong acknowledged = new AtomicLong();

  StormWriter(int number, long seed) {
    this.number = number;
    this.random = new Random(seed + number);
  }

  /** Returns the number of answered requests. Any thread. */
  long acknowledged() {
    return acknowledged.get();
  }

  /** Returns whether a fact is about an entry of this writer. */
  boolean owns(String fact) {
    return fact.contains(" w" + number + "-");
  }

  /** Writes until the connection breaks. */
  void write(LDAPConnection connection) {
    while (true) {
      Transition transition = new Transition(new HashMap<>());
      try {
        LDAPResult result = send(connection, transition);
        if (!result.getResultCode().equals(ResultCode.SUCCESS)) {
          throw new AssertionError("unexpected " + result);
        }
      } catch (LDAPException e) {
        if (e.getResultCode().isConnectionUsable()) {
          throw new AssertionError("refused: " + transition, e);
        }
        return;
      }
      apply(transition);
      underWay = null;
      acknowledged.incrementAndGet();
    }
  }

  private void apply(Transition transition) {
    transition
        .after()
        .forEach(
            (fact, value) -> {
              if (value == null) {
                facts.remove(fact);
              } else {
                facts.put(fact, value);
              }
            });
  }

  private LDAPResult send(LDAPConnection connection, Transition transition) throws LDAPException {
    List<String> entries = facts.keySet().stream().filter(f -> f.startsWith("entry ")).toList();
    int kind = random.nextInt(10);
    if (entries.isEmpty() || kind < 3 && entries.size() < ENTRIES) {
      return add(connection, transition);
    }
    String name = entries.get(random.nextInt(entries.size())).substring("entry ".length());
    return switch (kind) {
      case 3 -> delete(connection, name, transition);
      case 4, 5 -> rename(connection, name, transition);
      case 6, 7 -> changeMember(connection, name, transition);
      default -> modify(connection, name, transition);
    };
  }

  private static String dn(String name) {
    return "cn=" + name + ',' + BASE;
  }

  private String newName() {
    return "w" + number + '-' + names++;
  }

  private LDAPResult add(LDAPConnection connection, Transition transition) throws LDAPException {
    String name = newName();
    String value = Integer.toString(sequence++);
    transition.after().put("entry " + name, value);
    underWay = transition;
    return connection.add(
        new AddRequest(
            dn(name),
            new Attribute("objectClass", "organizationalRole"),
            new Attribute("cn", name),
            new Attribute("description", value),
            new Attribute("l", value)));
  }

  private LDAPResult modify(LDAPConnection connection, String name, Transition transition)
      throws LDAPException {
    String value = Integer.toString(sequence++);
    transition.after().put("entry " + name, value);
    underWay = transition;
    return connection.modify(
        new ModifyRequest(
            dn(name),
            new Modification(ModificationType.REPLACE, "description", value),
            new Modification(ModificationType.REPLACE, "l", value)));
  }

  private LDAPResult delete(LDAPConnection connection, String name, Transition transition)
      throws LDAPException {
    transition.after().put("entry " + name, null);
    underWay = transition;
    return connection.delete(dn(name));
  }

  private LDAPResult rename(LDAPConnection connection, String name, Transition transition)
      throws LDAPException {
    String next = newName();
    transition.after().put("entry " + name, null);
    transition.after().put("entry " + next, facts.get("entry " + name));
    underWay = transition;
    return connection.modifyDN(new ModifyDNRequest(dn(name), "cn=" + next, true));
  }

  private LDAPResult changeMember(LDAPConnection connection, String name, Transition transition)
      throws LDAPException {
    boolean isMember = facts.containsKey("member " + name);
    transition.after().put("member " + name, isMember ? null : "in");
    underWay = transition;
    ModificationType type = isMember ? ModificationType.DELETE : ModificationType.ADD;
    return connection.modify(
        new ModifyRequest(GROUP, new Modification(type, "member", "cn=" + name)));
  }

  /**
   * Compares the acknowledged facts with the actual ones, and takes the latter as the truth from
   * now on.
   *
   * @param actual the facts about this writer's entries
   * @return the discrepancies
   */
  List<String> check(Map<String, String> actual) {
    List<String> wrong = new ArrayList<>();
    Transition pending = underWay;
    Map<String, String> before = new HashMap<>(facts);
    if (!actual.equals(before) && pending != null) {
      apply(pending);
    }
    if (!actual.equals(facts)) {
      wrong.add(
          "writer "
              + number
              + ": acknowledged "
              + before
              + ", under way "
              + pending
              + ", found "
              + actual);
    }
    underWay = null;
    facts.clear();
    facts.putAll(actual);
    return wrong;
  }
}
