package org.nyala.core.access.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Condition.Protection;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Makes random rules about the people and groups of a small tree, which {@link RandomRequests} asks
 * for: the same seed makes the same rules. The schema has to be the standard one.
 */
public final class RandomRules {
  /** Names of entries, some of which are not in the tree. */
  static final List<String> NAMES =
      List.of(
          "",
          "dc=example,dc=com",
          "ou=people,dc=example,dc=com",
          "ou=groups,dc=example,dc=com",
          "uid=ann,ou=people,dc=example,dc=com",
          "uid=bob,ou=people,dc=example,dc=com",
          "cn=book,uid=ann,ou=people,dc=example,dc=com",
          "cn=ann+uid=ann,ou=people,dc=example,dc=com",
          "cn=admins,ou=groups,dc=example,dc=com",
          "cn=staff,ou=groups,dc=example,dc=com",
          "cn=\"q\\,\",dc=example,dc=com",
          "cn=\\7bu},dc=example,dc=com",
          "cn=Monitor");

  private static final List<String> PATTERNS =
      List.of(
          "uid={u},ou=people,dc=example,dc=com",
          "cn={c},uid={u},ou=people,dc=example,dc=com",
          "cn={c},ou=groups,dc=example,dc=com",
          "cn={*},uid={u},ou=people,dc=example,dc=com",
          "ou={o},dc=example,dc=com");

  /** Names of many entries in clauses, and in people. */
  private static final List<String> MANY =
      List.of(
          "uid={*},ou=people,dc=example,dc=com",
          "cn={*},uid={*},ou=people,dc=example,dc=com",
          "ou={*},dc=example,dc=com",
          "cn={*},uid=ann,ou=people,dc=example,dc=com");

  private static final List<String> CAPTURED =
      List.of(
          "cn={*},uid={u},ou=people,dc=example,dc=com",
          "uid={u},ou=people,dc=example,dc=com",
          "cn={u},ou=groups,dc=example,dc=com",
          "cn={c},ou=groups,dc=example,dc=com",
          "cn=book,uid={u},ou=people,dc=example,dc=com");

  /** Attributes that entries have. */
  static final List<String> ATTRIBUTES =
      List.of(
          "cn",
          "name",
          "sn",
          "cn;lang-de",
          "mail",
          "member",
          "uniqueMember",
          "owner",
          "userPassword",
          "objectClass",
          "telephoneNumber");

  private static final List<String> CLASSES =
      List.of("person", "inetOrgPerson", "groupOfNames", "extensibleObject", "top");

  private static final List<String> FILTERS =
      List.of(
          "(objectClass=inetOrgPerson)",
          "(!(mail=*))",
          "(&(cn=a*n)(|(sn=\\28x\\29)(sn~=x)))",
          "(cn:caseExactMatch:=Ann)",
          "(member=uid=ann,ou=people,dc=example,dc=com)");

  private static final List<String> NETWORKS =
      List.of("192.0.2.0/24", "192.0.2.7", "2001:db8::/32", "0.0.0.0/0", "::1", "10.0.0.0/9");

  private final Random random;
  private final Schema schema;
  private final List<Zone> zones = new ArrayList<>();
  private final List<People> people = new ArrayList<>();

  /** Starts a series of rules. */
  public RandomRules(Schema schema, long seed) {
    this.schema = schema;
    this.random = new Random(seed);
  }

  /** Returns the next rules: up to 3 zones and people, up to {@code most} rules, and limits. */
  public AccessRules next(int most) {
    zones.clear();
    people.clear();
    for (int i = random.nextInt(4); i > 0; i--) {
      zones.add(new Zone("zone" + i, several(3, this::origin), Source.NONE));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      people.add(new People("people" + i, several(3, this::member), Source.NONE));
    }
    List<Step> steps = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      steps.add(random.nextInt(12) == 0 ? delegation() : rule());
    }
    List<LimitStatement> limits = several(2, this::limit);
    return new AccessRules(zones, people, steps, limits);
  }

  /** Returns the next rules as {@link #next} does, without rules of the directory. */
  public AccessRules nextOfFile(int most) {
    AccessRules rules = next(most);
    List<Step> steps = rules.steps().stream().filter(Rule.class::isInstance).toList();
    return new AccessRules(rules.zones(), rules.people(), steps, rules.limits());
  }

  /** Returns a random rule that uses the zones and people of the last rules. */
  public Rule rule() {
    Target target = target();
    return new Rule(target, several(5, () -> clause(target)), Source.NONE);
  }

  private <T> List<T> several(int most, Supplier<T> one) {
    List<T> some = new ArrayList<>();
    for (int i = random.nextInt(most); i >= 0; i--) {
      some.add(one.get());
    }
    return some;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private <E> E one(E[] of) {
    return one(Arrays.asList(of));
  }

  private DnPattern pattern(String text) {
    try {
      return DnPattern.parse(schema, text);
    } catch (InvalidDnException e) {
      throw new IllegalStateException(text, e);
    }
  }

  private AttributeType type(String name) {
    return schema.attributeType(name);
  }

  private Origin origin() {
    if (!zones.isEmpty() && random.nextInt(3) == 0) {
      return one(zones);
    }
    return random.nextInt(6) == 0 ? Origin.LocalSocket.LDAPI : Network.parse(one(NETWORKS));
  }

  private Place fixedPlace() {
    return new Place(one(Scope.values()), pattern(one(NAMES)));
  }

  private Condition member() {
    if (!people.isEmpty() && random.nextInt(3) == 0) {
      return new Condition.InPeople(one(people));
    }
    return random.nextBoolean()
        ? new Condition.InGroup(group(pattern(one(NAMES))))
        : new Condition.Named(
            random.nextInt(3) == 0
                ? new Place(one(Scope.values()), pattern(one(MANY)))
                : fixedPlace());
  }

  private Group group(DnPattern name) {
    return switch (random.nextInt(4)) {
      case 0 ->
          new Group(
              name,
              random.nextBoolean(),
              schema.objectClass("groupOfUniqueNames"),
              type("uniqueMember"));
      case 1 ->
          new Group(name, random.nextBoolean(), schema.objectClass("groupOfNames"), type("member"));
      case 2 -> new Group(name, random.nextBoolean(), null, type("owner"));
      default -> new Group(name, random.nextBoolean(), null, type("member"));
    };
  }

  private Delegation delegation() {
    return new Delegation(pattern(one(NAMES)).dn(), Source.NONE);
  }

  private LimitStatement limit() {
    Map<Limit.Bound, Integer> bounds = new EnumMap<>(Limit.Bound.class);
    for (int i = random.nextInt(3); i >= 0; i--) {
      bounds.put(
          one(Limit.Bound.values()),
          random.nextInt(4) == 0 ? Limit.UNLIMITED : 1 + random.nextInt(1_000));
    }
    List<Condition> who = new ArrayList<>(several(2, this::conditionOfUser));
    return new LimitStatement(random.nextInt(4) == 0 ? List.of() : who, bounds, Source.NONE);
  }

  private Target target() {
    Where where = random.nextInt(4) == 0 ? new Where(one(FILTERS)) : null;
    if (random.nextInt(5) == 0) {
      return valueTarget(where);
    }
    return new Target(place(), where, attributes(), null);
  }

  private Place place() {
    return switch (random.nextInt(5)) {
      case 0 -> Place.EVERYWHERE;
      case 1, 2 -> new Place(one(Scope.values()), pattern(one(PATTERNS)));
      default -> fixedPlace();
    };
  }

  private Target valueTarget(Where where) {
    String attribute = one(List.of("member", "cn", "uniqueMember"));
    Item item = new Item.Described(AttributeDescription.parse(schema, attribute));
    TargetValue value = new TargetValue.Exact("Ann \"A\"");
    if (!attribute.equals("cn")) {
      value =
          random.nextBoolean()
              ? new TargetValue.Named(fixedPlace())
              : new TargetValue.Exact("uid=ann,ou=people,dc=example,dc=com");
    }
    return new Target(place(), where, new Attributes(false, List.of(item)), value);
  }

  private Attributes attributes() {
    return switch (random.nextInt(4)) {
      case 0 -> Attributes.ALL;
      case 1 -> new Attributes(true, several(3, this::item));
      default -> new Attributes(false, several(4, this::item));
    };
  }

  private Item item() {
    return switch (random.nextInt(6)) {
      case 0 -> one(Pseudo.values());
      case 1 -> new Item.OfClass(schema.objectClass(one(CLASSES)));
      case 2 -> new Item.Described(AttributeDescription.parse(schema, "cn;lang-"));
      default -> new Item.Described(AttributeDescription.parse(schema, one(ATTRIBUTES)));
    };
  }

  private Clause clause(Target target) {
    List<Condition> who = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      who.add(random.nextBoolean() ? conditionOfUser() : conditionOfTarget(target));
    }
    if (random.nextInt(6) == 0) {
      who.add(Plain.OWN_VALUE);
    }
    Flow flow = random.nextInt(3) == 0 ? one(Flow.values()) : Flow.STOP;
    return new Clause(who, grant(), flow, Source.NONE);
  }

  private Grant grant() {
    Set<Right> rights = EnumSet.noneOf(Right.class);
    boolean implies = random.nextBoolean();
    for (int i = random.nextInt(4); i > 0; i--) {
      Right right = one(Right.values());
      rights.addAll(implies ? right.withImplied() : Set.of(right));
    }
    if (random.nextInt(4) == 0) {
      rights.addAll(Right.WRITE);
    }
    return new Grant(random.nextInt(3) == 0 ? one(Grant.Mode.values()) : Grant.Mode.SET, rights);
  }

  private Condition conditionOfUser() {
    return switch (random.nextInt(8)) {
      case 0 -> Plain.ANONYMOUS;
      case 1, 2 -> Plain.USERS;
      case 3 -> new Condition.From(origin());
      case 4 -> new Condition.Over(one(Protection.values()), 1 + random.nextInt(256));
      case 5 -> new Condition.By(one(List.of("simple", "EXTERNAL", "SCRAM-SHA-256", "GSSAPI")));
      default -> member();
    };
  }

  private Condition conditionOfTarget(Target target) {
    return switch (random.nextInt(6)) {
      case 0, 1 -> Plain.SELF;
      case 2 -> new Condition.Ancestor(1 + random.nextInt(3));
      case 3 -> new Condition.Descendant(1 + random.nextInt(3));
      case 4 -> new Condition.ListedIn(type(one(List.of("member", "owner", "uniqueMember"))));
      default -> withCapture(target);
    };
  }

  private Condition withCapture(Target target) {
    List<String> captures = target.place().name().captures();
    DnPattern name = pattern(one(CAPTURED));
    if (!captures.containsAll(name.captures())) {
      return Plain.SELF;
    }
    return random.nextBoolean() || name.hasAny()
        ? new Condition.Named(new Place(one(Scope.values()), name))
        : new Condition.InGroup(group(name));
  }
}
