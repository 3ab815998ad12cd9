package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.nyala.core.operation.UpdateFixture.attributes;
import static org.nyala.core.operation.UpdateFixture.dn;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.NaiveInterpreter;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.Right;
import org.nyala.core.session.OperationFixture;

/** The decision about an update by the book: the table of src-docs/access-rules.adoc. */
final class ExpectedDecision {
  private static final Set<String> BY_THE_SERVER =
      Set.of(
          "entryCSN",
          "modifiersName",
          "modifyTimestamp",
          "creatorsName",
          "createTimestamp",
          "entryUUID");

  private final Map<Dn, PlainEntry> entries = new HashMap<>();
  private final NaiveInterpreter interpreter;
  private final Client client;

  ExpectedDecision(AccessRules rules, Collection<Entry> stored, String user) {
    for (Entry each : stored) {
      entries.put(each.dn(), new PlainEntry(each.dn().toString(), attributes(each)));
    }
    interpreter =
        new NaiveInterpreter(rules, new PlainDirectory(OperationFixture.SCHEMA, entries.values()));
    client = new Client(user, "0.0.0.0", 0, 0, 0, "");
  }

  /** Returns what entries hold but for what the server writes itself. */
  static List<String> contents(Collection<Entry> stored) {
    List<String> contents = new ArrayList<>();
    for (Entry each : stored) {
      Map<String, List<String>> attributes = attributes(each);
      attributes.keySet().removeAll(BY_THE_SERVER);
      contents.add(each.dn() + " " + attributes);
    }
    Collections.sort(contents);
    return contents;
  }

  /** Returns the refusal of an update for its lack of rights, or of an entry; null if it may be. */
  @Nullable LdapResult refusal(Request request) {
    return switch (request) {
      case Request.Add add -> ofAdd(add);
      case Request.Delete delete -> ofDelete(dn(delete.name()));
      case Request.Modify modify -> ofModify(modify);
      case Request.ModifyDn modifyDn -> ofModifyDn(modifyDn);
      default -> throw new IllegalArgumentException(request.toString());
    };
  }

  private Set<Right> rights(PlainEntry entry, String attribute, @Nullable String value) {
    return interpreter.answer(client, new Question(entry, attribute, value)).rights();
  }

  private boolean has(Dn name, String attribute, Right... rights) {
    return rights(entries.get(name), attribute, null).containsAll(List.of(rights));
  }

  private boolean mayKnow(Dn name) {
    return entries.containsKey(name) && has(name, "entry", Right.DISCLOSE);
  }

  private LdapResult missing(Dn name) {
    Dn above = name;
    while (above.rdnCount() > 0 && (above.equals(name) || !mayKnow(above))) {
      above = above.parent();
    }
    return new LdapResult(ResultCode.NO_SUCH_OBJECT, above.toString(), "", List.of());
  }

  private LdapResult denied(Dn name) {
    return mayKnow(name) ? LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS) : missing(name);
  }

  private @Nullable LdapResult ofDelete(Dn name) {
    if (!entries.containsKey(name)) {
      return missing(name);
    }
    boolean isAllowed =
        has(name, "entry", Right.REMOVE) && has(name.parent(), "children", Right.REMOVE);
    return isAllowed ? null : denied(name);
  }

  private @Nullable LdapResult ofAdd(Request.Add add) {
    Dn name = dn(add.name());
    Dn parent = name.parent();
    if (!entries.containsKey(parent)) {
      return missing(name);
    }
    if (!has(parent, "children", Right.ADD)) {
      return denied(parent);
    }
    Map<String, List<String>> attributes = new TreeMap<>();
    for (Request.AttributeValues each : add.attributes()) {
      for (byte[] value : each.values()) {
        put(attributes, each.attribute(), new String(value, UTF_8));
      }
    }
    String[] rdn = rdn(name).split("=", 2);
    put(attributes, rdn[0], rdn[1]);
    PlainEntry added = new PlainEntry(add.name(), attributes);
    boolean isAllowed = rights(added, "entry", null).contains(Right.ADD);
    for (Map.Entry<String, List<String>> each : attributes.entrySet()) {
      isAllowed &= hasEach(added, each.getKey(), each.getValue(), Right.ADD);
    }
    return isAllowed ? null : LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  private static void put(Map<String, List<String>> attributes, String attribute, String value) {
    List<String> values = attributes.computeIfAbsent(attribute, _ -> new ArrayList<>());
    if (!values.contains(value)) {
      values.add(value);
    }
  }

  private boolean hasEach(PlainEntry entry, String attribute, List<String> values, Right right) {
    return values.stream().allMatch(value -> rights(entry, attribute, value).contains(right));
  }

  private @Nullable LdapResult ofModify(Request.Modify modify) {
    Dn name = dn(modify.name());
    PlainEntry entry = entries.get(name);
    if (entry == null) {
      return missing(name);
    }
    Map<String, Long> numbers = new HashMap<>();
    boolean isAllowed = true;
    for (Request.Change change : modify.changes()) {
      isAllowed &= mayChange(entry, change, numbers);
    }
    return isAllowed ? null : denied(name);
  }

  private boolean mayChange(PlainEntry entry, Request.Change change, Map<String, Long> numbers) {
    String attribute = change.attribute().attribute();
    List<String> stored = entry.attributes().getOrDefault(attribute, List.of());
    List<String> given =
        change.attribute().values().stream().map(value -> new String(value, UTF_8)).toList();
    return switch (change.kind()) {
      case 0 -> hasEach(entry, attribute, given, Right.ADD);
      case 1 ->
          given.isEmpty()
              ? hasOnAll(entry, attribute, stored, Right.REMOVE)
              : hasEach(entry, attribute, given, Right.REMOVE);
      case 2 -> {
        if (attribute.equals("uidNumber")) {
          numbers.put(attribute, Long.parseLong(given.getFirst()));
        }
        yield hasOnAll(entry, attribute, stored, Right.REMOVE)
            && hasEach(entry, attribute, given, Right.ADD);
      }
      default -> {
        boolean isThere = !stored.isEmpty() || numbers.containsKey(attribute);
        long made =
            (isThere ? numbers.getOrDefault(attribute, number(stored)) : 0)
                + Long.parseLong(given.getFirst());
        numbers.put(attribute, made);
        yield hasOnAll(entry, attribute, stored, Right.INCREMENT)
            && (!isThere || hasEach(entry, attribute, List.of("" + made), Right.INCREMENT));
      }
    };
  }

  private static long number(List<String> stored) {
    return stored.isEmpty() ? 0 : Long.parseLong(stored.getFirst());
  }

  private boolean hasOnAll(PlainEntry entry, String attribute, List<String> stored, Right right) {
    return stored.isEmpty()
        ? rights(entry, attribute, null).contains(right)
        : hasEach(entry, attribute, stored, right);
  }

  private @Nullable LdapResult ofModifyDn(Request.ModifyDn modifyDn) {
    Dn name = dn(modifyDn.name());
    PlainEntry entry = entries.get(name);
    if (entry == null) {
      return missing(name);
    }
    String superior = modifyDn.newSuperior();
    Dn above = superior == null ? name.parent() : dn(superior);
    boolean isAllowed =
        has(name, "entry", EnumSet.copyOf(Right.WRITE).toArray(Right[]::new))
            && has(name.parent(), "children", Right.REMOVE);
    Map<String, List<String>> after = named(modifyDn.newRdn());
    for (Map.Entry<String, List<String>> each : after.entrySet()) {
      isAllowed &= hasEach(entry, each.getKey(), each.getValue(), Right.ADD);
    }
    if (modifyDn.deleteOldRdn()) {
      for (Map.Entry<String, List<String>> each : named(rdn(name)).entrySet()) {
        List<String> going = new ArrayList<>(each.getValue());
        going.removeAll(after.getOrDefault(each.getKey(), List.of()));
        isAllowed &= hasEach(entry, each.getKey(), going, Right.REMOVE);
      }
    }
    if (!isAllowed) {
      return denied(name);
    }
    if (!entries.containsKey(above)) {
      return missing(above);
    }
    return has(above, "children", Right.ADD) ? null : denied(above);
  }

  private static String rdn(Dn name) {
    return new String(name.rdn(0), UTF_8);
  }

  private static Map<String, List<String>> named(String rdn) {
    Map<String, List<String>> values = new TreeMap<>();
    for (String pair : rdn.split("\\+", -1)) {
      String[] parts = pair.split("=", 2);
      put(values, parts[0], parts[1]);
    }
    return values;
  }
}
