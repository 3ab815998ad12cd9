package org.nyala.core.access.rule;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.AttributeType;

/**
 * Decides by the book (src-docs/access-rules.adoc), one question after the other, over entries as
 * maps: slow, and made to be read. It shares with the server the parser of names, the normalisers
 * of values and the model of rules, but no decision.
 */
public final class NaiveInterpreter {
  private static final Set<Right> FINDING_OUT = Set.of(Right.COMPARE, Right.SEARCH, Right.READ);

  private final PlainDirectory directory;
  private final List<Step> steps;
  private final Map<Dn, List<Rule>> ofDirectory = new HashMap<>();
  private boolean keepsSecrets = true;

  /**
   * The facts about a client.
   *
   * @param name the name that it has bound as; empty for anonymous
   * @param address its address; empty for a client of the local socket
   * @param tls the bits of TLS
   * @param sasl the bits of a layer of SASL
   * @param transport the bits that the local socket counts for
   * @param mechanism {@code simple}, a mechanism of SASL, or empty for anonymous
   */
  public record Client(
      String name, String address, int tls, int sasl, int transport, String mechanism) {
    /** The client that has not bound. */
    public static final Client ANONYMOUS = new Client("", "192.0.2.1", 0, 0, 0, "");

    /** Returns the same client after a simple bind. */
    public Client bound(String as) {
      return new Client(as, address, tls, sasl, transport, "simple");
    }

    /** Returns the same client at another address. */
    public Client from(String other) {
      return new Client(name, other, tls, sasl, transport, mechanism);
    }

    /** Returns the same client with TLS of so many bits. */
    public Client over(int bits) {
      return new Client(name, address, bits, sasl, transport, mechanism);
    }
  }

  /**
   * A question for rights.
   *
   * @param entry the entry
   * @param attribute an attribute, {@code entry} or {@code children}
   * @param value the value; null for the attribute as a whole
   */
  public record Question(PlainEntry entry, String attribute, String value) {}

  /**
   * The answer to a question.
   *
   * @param rights the rights
   * @param rule the rule that decided last; null if none covers
   * @param clause the clause that fitted last; null if none fits
   */
  public record Answer(Set<Right> rights, Rule rule, Clause clause) {}

  /** Creates an interpreter of rules over the entries of a directory, which holds the groups. */
  public NaiveInterpreter(AccessRules rules, PlainDirectory directory) {
    this.directory = directory;
    this.steps = rules.steps();
  }

  /** Decides about passwords as about anything else, as slapd does. */
  public NaiveInterpreter withoutSecrets() {
    keepsSecrets = false;
    return this;
  }

  /** Lets the directory hold rules for a subtree, which act if the file delegates it. */
  public void delegated(Dn subtree, List<Rule> rules) {
    ofDirectory.put(subtree, rules);
  }

  /** Returns the rights that a client has. */
  public Answer answer(Client client, Question question) {
    Answer found = new Answer(Set.of(), null, null);
    for (Rule rule : rulesFor(question.entry())) {
      Map<String, String> captures = new HashMap<>();
      if (!covers(rule.target(), question, captures)) {
        continue;
      }
      Flow flow = null;
      for (Clause clause : rule.clauses()) {
        if (holdAll(clause.conditions(), client, question, captures)) {
          Set<Right> given = new HashSet<>(clause.grant().rights());
          if (clause.grant().mode() != Grant.Mode.REMOVE
              && keepsSecrets
              && isKept(rule.target(), client, question)) {
            given.removeAll(FINDING_OUT);
          }
          found = new Answer(changed(found.rights(), clause.grant().mode(), given), rule, clause);
          flow = clause.flow();
          if (flow != Flow.CONTINUE) {
            break;
          }
        }
      }
      if (flow == null) {
        return new Answer(Set.of(), rule, null);
      }
      if (flow != Flow.BREAK) {
        return found;
      }
    }
    return found;
  }

  /** Returns whether a secret is kept from a client that a rule is about. */
  private boolean isKept(Target target, Client client, Question question) {
    if (!question.attribute().toLowerCase(Locale.ROOT).startsWith("userpassword")) {
      return false;
    }
    boolean isNamed = false;
    for (Item item : target.attributes().items()) {
      isNamed |= item instanceof Item.Described && isMeant(question.attribute(), item);
    }
    boolean isHere =
        client.address().isEmpty()
            || client.address().startsWith("127.")
            || client.address().equals("::1");
    boolean isSafe = isHere || bits(Condition.Protection.ANY, client) >= 128;
    return !isSafe || !isNamed || target.attributes().isAllBut();
  }

  private List<Rule> rulesFor(PlainEntry entry) {
    List<Rule> rules = new ArrayList<>();
    for (Step step : steps) {
      if (step instanceof Rule rule) {
        rules.add(rule);
      } else if (step instanceof Delegation delegation) {
        Place subtree = new Place(Scope.SUBTREE, DnPattern.of(delegation.subtree()));
        if (isIn(directory.rdns(entry.name()), subtree, new HashMap<>())) {
          rules.addAll(ofDirectory.getOrDefault(delegation.subtree(), List.of()));
        }
      }
    }
    return rules;
  }

  private static Set<Right> changed(Set<Right> before, Grant.Mode mode, Set<Right> given) {
    Set<Right> after = EnumSet.noneOf(Right.class);
    switch (mode) {
      case SET -> after.addAll(given);
      case ADD -> {
        after.addAll(before);
        after.addAll(given);
      }
      case REMOVE -> {
        after.addAll(before);
        after.removeAll(given);
      }
    }
    return after;
  }

  private boolean covers(Target target, Question question, Map<String, String> captures) {
    return isIn(directory.rdns(question.entry().name()), target.place(), captures)
        && (target.where() == null || directory.matches(target.where(), question.entry()))
        && isAmong(question.attribute(), target.attributes())
        && (target.value() == null || hasValue(target, question));
  }

  /** Returns whether a name is in a place; binds captures, or compares them if they are bound. */
  private boolean isIn(List<String> name, Place place, Map<String, String> captures) {
    List<String> pattern = PlainDirectory.normalized(place.name().dn());
    int levels = name.size() - pattern.size();
    boolean isLevelRight =
        switch (place.scope()) {
          case ENTRY -> levels == 0;
          case SUBTREE -> levels >= 0;
          case BELOW -> levels >= 1;
          case DIRECTLY_BELOW -> levels == 1;
        };
    if (!isLevelRight) {
      return false;
    }
    for (int i = 0; i < pattern.size(); i++) {
      String rdn = name.get(levels + i);
      boolean fits =
          place.name().isFixedAt(i)
              ? rdn.equals(pattern.get(i))
              : isCaptured(rdn, pattern.get(i), place.name().captureAt(i), captures);
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private static boolean isCaptured(
      String rdn, String pattern, String capture, Map<String, String> captures) {
    String type = pattern.substring(0, pattern.indexOf('=') + 1);
    boolean hasOneValue = !rdn.contains("+");
    if (!rdn.startsWith(type) || !hasOneValue) {
      return false;
    }
    String value = rdn.substring(type.length());
    String bound = capture == null ? value : captures.putIfAbsent(capture, value);
    return bound == null || bound.equals(value);
  }

  private boolean isAmong(String attribute, Attributes attributes) {
    boolean isListed = false;
    for (Item item : attributes.items()) {
      isListed |= isMeant(attribute, item);
    }
    return attributes.isAllBut() ? !isListed : isListed;
  }

  private boolean isMeant(String attribute, Item item) {
    boolean isPseudo = attribute.equals("entry") || attribute.equals("children");
    return switch (item) {
      case Pseudo pseudo -> attribute.equals(pseudo.word());
      case Item.Described described ->
          !isPseudo
              && PlainDirectory.isBelow(directory.description(attribute), described.description());
      case Item.OfClass ofClass ->
          ofClass.objectClass().name().equals("extensibleObject")
              || !isPseudo
                  && PlainDirectory.belongsTo(
                      directory.description(attribute).type(), ofClass.objectClass());
    };
  }

  private boolean hasValue(Target target, Question question) {
    if (question.value() == null) {
      return false;
    }
    AttributeType type = directory.description(question.attribute()).type();
    return switch (target.value()) {
      case TargetValue.Exact exact -> PlainDirectory.areEqual(type, question.value(), exact.text());
      case TargetValue.Named named ->
          directory.isName(question.value())
              && isIn(directory.rdns(question.value()), named.place(), new HashMap<>());
    };
  }

  private boolean holdAll(
      List<Condition> conditions, Client client, Question question, Map<String, String> captures) {
    for (Condition condition : conditions) {
      if (!holds(condition, client, question, captures)) {
        return false;
      }
    }
    return true;
  }

  private boolean holds(
      Condition condition, Client client, Question question, Map<String, String> captures) {
    boolean isBound = !client.name().isEmpty();
    return switch (condition) {
      case Condition.Plain plain when plain == Condition.Plain.ANONYMOUS -> !isBound;
      case Condition.From from -> isFrom(from.origin(), client);
      case Condition.Over over -> bits(over.kind(), client) >= over.bits();
      case Condition.By by -> by.mechanism().equalsIgnoreCase(client.mechanism());
      default -> isBound && holdsForUser(condition, client.name(), question, captures);
    };
  }

  private boolean holdsForUser(
      Condition condition, String user, Question question, Map<String, String> captures) {
    List<String> name = directory.rdns(user);
    List<String> entry = directory.rdns(question.entry().name());
    return switch (condition) {
      case Condition.Plain plain ->
          switch (plain) {
            case USERS -> true;
            case SELF -> name.equals(entry);
            case OWN_VALUE -> isOwnName(user, question);
            case ANONYMOUS -> false;
          };
      case Condition.Ancestor ancestor -> name.equals(above(entry, ancestor.levels()));
      case Condition.Descendant descendant -> entry.equals(above(name, descendant.levels()));
      case Condition.Named named -> isIn(name, named.place(), new HashMap<>(captures));
      case Condition.InGroup inGroup -> isInGroup(user, inGroup.group(), captures);
      case Condition.InPeople inPeople ->
          inPeople.people().members().stream()
              .anyMatch(member -> holdsForUser(member, user, question, captures));
      case Condition.ListedIn listedIn ->
          directory.isListed(user, question.entry(), listedIn.attribute());
      default -> throw new IllegalStateException(condition.toString());
    };
  }

  private boolean isOwnName(String user, Question question) {
    if (question.value() == null || List.of("entry", "children").contains(question.attribute())) {
      return false;
    }
    AttributeType type = directory.description(question.attribute()).type();
    return SchemaNames.hasNames(type) && PlainDirectory.areEqual(type, question.value(), user);
  }

  private static List<String> above(List<String> name, int levels) {
    return levels <= name.size() ? name.subList(levels, name.size()) : null;
  }

  private boolean isInGroup(String user, Group group, Map<String, String> captures) {
    List<String> name = new ArrayList<>(PlainDirectory.normalized(group.name().dn()));
    for (int i = 0; i < name.size(); i++) {
      String capture = group.name().captureAt(i);
      if (capture != null) {
        String type = group.name().typeOf(capture).name().toLowerCase(Locale.ROOT);
        name.set(i, type + "=" + captures.get(capture));
      }
    }
    return directory.isMember(user, name, group);
  }

  private static int bits(Condition.Protection kind, Client client) {
    return switch (kind) {
      case TLS -> client.tls();
      case SASL -> client.sasl();
      case TRANSPORT -> client.transport();
      case ANY -> Math.max(client.tls(), Math.max(client.sasl(), client.transport()));
    };
  }

  private static boolean isFrom(Origin origin, Client client) {
    return switch (origin) {
      case Zone zone -> zone.origins().stream().anyMatch(each -> isFrom(each, client));
      case Origin.LocalSocket _ -> client.address().isEmpty();
      case Network network -> {
        String bits =
            client.address().isEmpty() ? "" : bits(InetAddress.ofLiteral(client.address()));
        String first = bits(network.address());
        yield bits.length() == first.length()
            && bits.startsWith(first.substring(0, network.bits()));
      }
    };
  }

  private static String bits(InetAddress address) {
    StringBuilder bits = new StringBuilder();
    for (byte octet : address.getAddress()) {
      bits.append(Integer.toBinaryString(octet & 0xff | 0x100).substring(1));
    }
    return bits.toString();
  }
}
