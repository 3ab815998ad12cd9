package org.nyala.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.LDAPException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/**
 * A client that changes the directory, one change after the other.
 *
 * <p>Confined to one thread.
 */
final class SimulatedClient {
  private static final int NAMES = 12;

  private final Random random;
  private final Ledger ledger;
  private @Nullable SimulatedLine line;
  private @Nullable Request asked;
  private int texts;

  /** Takes the answers. */
  interface Ledger {
    /** Takes an answer. */
    void answered(Request request, LdapResult result);
  }

  SimulatedClient(Random random, Ledger ledger) {
    this.random = random;
    this.ledger = ledger;
  }

  /** Returns whether an answer is awaited. */
  boolean isBusy() {
    return asked != null && line != null && !line.isEndedAtServer();
  }

  /**
   * Asks for a change.
   *
   * @param names the names of the entries that are there
   */
  Request ask(SimulatedServer server, List<String> names) throws LDAPException {
    if (line == null || line.isEndedAtServer()) {
      line = server.connect(_ -> {});
    }
    Request request = request(line.nextId(), names);
    asked = request;
    line.send(
        request,
        answer -> {
          asked = null;
          ledger.answered(request, (LdapResult) answer);
        });
    return request;
  }

  private Request request(int id, List<String> names) {
    if (names.isEmpty()) {
      return add(id, Simulation.SUFFIX.toString(), "organization", "dcObject", "o=x", "dc=example");
    }
    String name = names.get(random.nextInt(names.size()));
    boolean isTop = name.equals(Simulation.SUFFIX.toString());
    String rdn = "ou=" + (random.nextBoolean() ? "n" : "N") + random.nextInt(NAMES);
    return switch (names.size() < 5 || isTop ? random.nextInt(2) : random.nextInt(8)) {
      case 0, 2, 3 -> add(id, rdn + "," + name, "organizationalUnit", null, rdn, null);
      case 1, 4 ->
          new Request.Modify(
              id, name, List.of(new Request.Change(2, values("description", text()))), List.of());
      case 5 -> new Request.ModifyDn(id, name, rdn, true, null, List.of());
      case 6 -> {
        String superior = names.get(random.nextInt(names.size()));
        String same = random.nextBoolean() ? rdn : name.substring(0, name.indexOf(','));
        yield new Request.ModifyDn(id, name, same, true, superior, List.of());
      }
      default -> new Request.Delete(id, name, List.of());
    };
  }

  private String text() {
    return "t" + random.nextInt(1_000_000) + "-" + texts++;
  }

  private Request add(
      int id,
      String name,
      String objectClass,
      @Nullable String auxiliary,
      String one,
      @Nullable String other) {
    List<Request.AttributeValues> attributes = new ArrayList<>();
    attributes.add(values("objectClass", objectClass));
    if (auxiliary != null) {
      attributes.set(
          0,
          new Request.AttributeValues(
              "objectClass", List.of(objectClass.getBytes(UTF_8), auxiliary.getBytes(UTF_8))));
    }
    attributes.add(value(one));
    if (other != null) {
      attributes.add(value(other));
    }
    attributes.add(values("description", text()));
    return new Request.Add(id, name, attributes, List.of());
  }

  private static Request.AttributeValues value(String pair) {
    int at = pair.indexOf('=');
    return values(pair.substring(0, at), pair.substring(at + 1));
  }

  private static Request.AttributeValues values(String name, String value) {
    return new Request.AttributeValues(name, List.of(value.getBytes(UTF_8)));
  }

  /** Returns whether an answer says that a change was made. */
  static boolean isMade(LdapResult result) {
    return result.code() == ResultCode.SUCCESS;
  }
}
