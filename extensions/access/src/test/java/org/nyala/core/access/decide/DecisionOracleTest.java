package org.nyala.core.access.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Delegation;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.NaiveInterpreter;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.access.rule.RandomRequests;
import org.nyala.core.access.rule.RandomRules;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.Step;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Reach.Extent;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * Compares compiled rules with {@link NaiveInterpreter}: rules, clients and questions at random.
 */
class DecisionOracleTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int ROUNDS = Integer.getInteger("nyala.test.accessRounds", 300);
  private static final int CLIENTS = 3;
  private static final int QUESTIONS = 16;

  private static final String PEOPLE = ",ou=people,dc=example,dc=com";
  private static final String GROUPS = ",ou=groups,dc=example,dc=com";

  private static final List<String> NAMES =
      List.of(
          "uid=a\\,b" + PEOPLE,
          "uid=A\\2Bb" + PEOPLE,
          "uid=#0403616263" + PEOPLE,
          "uid=J\u00fcrgen" + PEOPLE,
          "UID=Bob+CN=Bob" + PEOPLE,
          "cn=x,uid=a\\,b" + PEOPLE,
          "cn=book,uid=A\\2Bb" + PEOPLE,
          "cn=y,cn=x,uid=a\\,b" + PEOPLE,
          "cn=z,UID=Bob+CN=Bob" + PEOPLE,
          "cn=z,cn=only" + PEOPLE,
          "cn=a\\,b" + GROUPS,
          "cn=a\\+b" + GROUPS,
          "cn=bob" + GROUPS,
          "cn=bob+ou=bob" + GROUPS,
          "ou=x\\=y,dc=example,dc=com",
          "cn=\\7bu},dc=example,dc=com",
          "dc=com",
          "uid=1,dc=com");

  private static final List<String> ATTRIBUTES =
      List.of(
          "cn",
          "name",
          "sn",
          "cn;lang-de",
          "cn;lang-de;x-a",
          "mail",
          "member",
          "member;x-old",
          "uniqueMember",
          "owner",
          "userPassword",
          "objectClass",
          "telephoneNumber",
          "createTimestamp");

  private static final List<String> VALUES =
      List.of(
          "uid=ann" + PEOPLE,
          "UID=Bob, OU=People,dc=example,dc=com",
          "uid=A\\2Cb" + PEOPLE,
          "uid=bob" + PEOPLE + "#'01'B",
          "cn=staff" + GROUPS,
          "ou=people,dc=example,dc=com",
          "",
          "Ann",
          "ann \"a\"");

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final List<PlainEntry> entries = entries();
  private final PlainDirectory directory = new PlainDirectory(SCHEMA, entries);
  private final SampleEntries samples = new SampleEntries(SCHEMA);
  private final EntryView view = new EntryView();
  private final Pace pace = random::nextBoolean;
  private List<String> attributes = ATTRIBUTES;
  private int questions = QUESTIONS;

  private static List<PlainEntry> entries() {
    List<PlainEntry> all = new ArrayList<>(RandomRequests.ENTRIES);
    for (String name : NAMES) {
      Map<String, List<String>> attributes = new HashMap<>();
      attributes.put("objectClass", List.of(name.startsWith("uid") ? "inetOrgPerson" : "top"));
      attributes.put("cn", List.of("Ann"));
      if (name.contains(GROUPS)) {
        attributes.put("member", List.of(NAMES.get(0), NAMES.get(1), VALUES.get(1)));
        attributes.put("uniqueMember", List.of(NAMES.get(1), VALUES.get(0) + "#'1'B"));
      } else {
        attributes.put("owner", List.of(NAMES.get(0), VALUES.get(0)));
      }
      all.add(new PlainEntry(name, attributes));
    }
    for (int i = 0; i < 20; i++) {
      Map<String, List<String>> attributes = new HashMap<>();
      attributes.put("objectClass", List.of("inetOrgPerson"));
      attributes.put("sn", List.of("x"));
      attributes.put(i % 2 == 0 ? "mail" : "owner", List.of("uid=u" + i + PEOPLE));
      all.add(new PlainEntry("uid=u" + i + PEOPLE, attributes));
    }
    return all;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @BeforeEach
  void numberAttributes() {
    ATTRIBUTES.forEach(name -> samples.number(samples.description(name)));
  }

  @Test
  void shouldDecideAsTheInterpreterDoes() {
    RandomRules rules = new RandomRules(SCHEMA, random.nextLong());
    RandomRequests requests = new RandomRequests(random.nextLong());
    for (int round = 0; round < ROUNDS; round++) {
      AccessRules next = rules.next(1 + random.nextInt(14));
      ask(next, delegated(next, rules), requests);
    }
  }

  @Test
  void shouldDecideAboutRelationsAsTheInterpreterDoes() {
    RelationRules rules = new RelationRules(SCHEMA, random.nextLong());
    RandomRequests requests = new RandomRequests(random.nextLong());
    for (int round = 0; round < ROUNDS; round++) {
      ask(rules.next(), Map.of(), requests);
    }
  }

  @Test
  void shouldDecideAboutValuesAsTheInterpreterDoes() {
    RelationRules rules = new RelationRules(SCHEMA, random.nextLong());
    RandomRequests requests = new RandomRequests(random.nextLong());
    attributes = List.of("member");
    questions = 2;
    for (int round = 0; round < 2 * ROUNDS; round++) {
      ask(rules.nextFlows(), Map.of(), requests);
    }
  }

  private void ask(AccessRules rules, Map<Dn, List<Rule>> delegated, RandomRequests requests) {
    NaiveInterpreter interpreter = new NaiveInterpreter(rules, directory);
    delegated.forEach(interpreter::delegated);
    CompiledRules compiled = CompiledRules.of(rules, delegated, SCHEMA, null);
    for (int i = 0; i < CLIENTS; i++) {
      Client client = client(requests);
      ask(interpreter, client, compiled.forClient(facts(client), memberships(client, compiled)));
    }
  }

  private Map<Dn, List<Rule>> delegated(AccessRules rules, RandomRules more) {
    Map<Dn, List<Rule>> delegated = new HashMap<>();
    for (Step step : rules.steps()) {
      if (step instanceof Delegation delegation && random.nextInt(4) > 0) {
        delegated.put(delegation.subtree(), List.of(more.rule(), more.rule()));
      }
    }
    return delegated;
  }

  private Client client(RandomRequests requests) {
    Client client = requests.client();
    boolean isOther = !client.name().isEmpty() && random.nextBoolean();
    return isOther ? client.bound(one(entries.subList(2, entries.size())).name()) : client;
  }

  private ClientFacts facts(Client client) {
    return new ClientFacts(
        samples.dn(client.name()),
        client.address().isEmpty() ? null : InetAddress.ofLiteral(client.address()),
        client.tls(),
        client.sasl(),
        client.transport(),
        client.mechanism());
  }

  private GroupMemberships memberships(Client client, CompiledRules compiled) {
    Set<Group> known = compiled.groups();
    return new GroupMemberships() {
      @Override
      public long version() {
        return 7;
      }

      @Override
      public boolean isMember(Group group) {
        assertThat(known).contains(group);
        return directory.isMember(
            client.name(), PlainDirectory.normalized(group.name().dn()), group);
      }
    };
  }

  private Boolean isMember(Dn user, Dn name, Group group, Pace end) {
    return end.goesOn()
        ? directory.isMember(user.toString(), PlainDirectory.normalized(name), group)
        : null;
  }

  private void ask(NaiveInterpreter interpreter, Client client, DecidedRules rules) {
    EntryAccess access = new EntryAccess(rules, this::isMember);
    for (int i = 0; i < questions; i++) {
      PlainEntry entry = one(entries);
      String attribute = one(attributes);
      String described = "test.seed=%d, %s for %s by %s".formatted(seed, attribute, entry, client);
      if (random.nextInt(20) == 0) {
        samples.renumber(random);
        access.beginSlice();
      }
      RuledProfile profile = profile(access, entry);
      compare(interpreter, client, entry, profile, described);
      compareAttribute(interpreter, client, entry, attribute, profile, access, described);
    }
    for (int i = 0; i < 3; i++) {
      compareReach(interpreter, client, rules);
    }
  }

  private RuledProfile profile(EntryAccess access, PlainEntry entry) {
    samples.show(entry, random.nextInt(8) == 0, view);
    RuledProfile profile = null;
    while (profile == null) {
      profile = access.profile(view, samples.table(), _ -> false, pace);
    }
    return profile;
  }

  private static void compare(
      NaiveInterpreter interpreter,
      Client client,
      PlainEntry entry,
      RuledProfile profile,
      String described) {
    for (Pseudo pseudo : Pseudo.values()) {
      NaiveInterpreter.Answer expected =
          interpreter.answer(client, new Question(entry, pseudo.word(), null));
      compare(profile.explain(pseudo), expected, described + ": " + pseudo);
      for (Right right : Right.values()) {
        boolean isAllowed =
            pseudo == Pseudo.ENTRY ? profile.allowsEntry(right) : profile.allowsChildren(right);
        assertThat(isAllowed).as(described).isEqualTo(expected.rights().contains(right));
      }
    }
  }

  private static void compare(
      Decision decision, NaiveInterpreter.Answer expected, String described) {
    assertThat(decision.rights()).as(described).isEqualTo(expected.rights());
    assertThat(decision.rule()).as(described).isSameAs(expected.rule());
    assertThat(decision.clause()).as(described).isSameAs(expected.clause());
  }

  private void compareAttribute(
      NaiveInterpreter interpreter,
      Client client,
      PlainEntry entry,
      String attribute,
      RuledProfile profile,
      EntryAccess access,
      String described) {
    AttributeDescription description = samples.description(attribute);
    int id = samples.number(description);
    NaiveInterpreter.Answer whole =
        interpreter.answer(client, new Question(entry, attribute, null));
    compare(profile.explain(description, null), whole, described);
    assertThat(Rights.in(profile.rights(samples.table(), id)))
        .as(described)
        .isEqualTo(whole.rights());
    for (String value : VALUES) {
      NaiveInterpreter.Answer expected =
          interpreter.answer(client, new Question(entry, attribute, value));
      byte[] bytes = SampleEntries.bytes(value);
      compare(profile.explain(description, bytes), expected, described + " " + value);
      int rights = access.rights(profile, description, ByteBuffer.wrap(bytes), 0, bytes.length);
      Set<Right> ofValue = ofValue(description, expected.rights());
      assertThat(Rights.in(rights)).as(described).isEqualTo(ofValue);
      compareOnValues(profile, id, ofValue, described + " " + value);
    }
  }

  /** Values of secrets are searched only by those who may read them. */
  private static Set<Right> ofValue(AttributeDescription description, Set<Right> rights) {
    if (!description.type().isSecret() || rights.contains(Right.READ)) {
      return rights;
    }
    return rights.stream().filter(right -> right != Right.SEARCH).collect(Collectors.toSet());
  }

  private void compareOnValues(RuledProfile profile, int id, Set<Right> rights, String described) {
    for (Right right : Right.values()) {
      Answer answer = profile.onValues(samples.table(), id, right);
      boolean[] granted = profile.granted(samples.table(), right);
      boolean[] depending = profile.depending(samples.table(), right);
      assertThat(granted != null && granted[id]).as(described).isEqualTo(answer == Answer.GRANTED);
      assertThat(depending != null && depending[id])
          .as(described)
          .isEqualTo(answer == Answer.DEPENDS);
      if (answer != Answer.DEPENDS) {
        assertThat(rights.contains(right))
            .as("%s: %s", described, right)
            .isEqualTo(answer == Answer.GRANTED);
      }
    }
  }

  private void compareReach(NaiveInterpreter interpreter, Client client, DecidedRules rules) {
    Dn base = samples.dn(one(entries).name());
    Scope scope = one(List.of(Scope.values()));
    Right right = one(List.of(Right.values()));
    DecidedReach reach = rules.reach(base, scope);
    String attribute = one(attributes);
    Extent extent = reach.of(samples.description(attribute), right);
    Extent itself = reach.of(Pseudo.ENTRY, right);
    for (PlainEntry entry : entries) {
      if (isInScope(samples.dn(entry.name()), base, scope)) {
        String described =
            "test.seed=%d, %s of %s below %s %s".formatted(seed, right, attribute, base, scope);
        check(extent, interpreter, client, new Question(entry, attribute, null), right, described);
        check(itself, interpreter, client, new Question(entry, "entry", null), right, described);
      }
    }
  }

  private static void check(
      Extent extent,
      NaiveInterpreter interpreter,
      Client client,
      Question question,
      Right right,
      String described) {
    if (extent != Extent.MIXED) {
      assertThat(interpreter.answer(client, question).rights().contains(right))
          .as("%s, %s, %s", described, question, client)
          .isEqualTo(extent == Extent.EVERYWHERE);
    }
  }

  private static boolean isInScope(Dn name, Dn base, Scope scope) {
    int levels = name.rdnCount() - base.rdnCount();
    return name.isWithin(base)
        && switch (scope) {
          case BASE -> levels == 0;
          case ONE_LEVEL -> levels == 1;
          case SUBTREE -> true;
          case SUBORDINATE -> levels > 0;
        };
  }
}
