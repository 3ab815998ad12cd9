package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.dn;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RandomRules;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

/**
 * Compares random updates under random rules with {@link ExpectedDecision}: what is allowed is
 * carried out as for root in a directory without rules, what is not changes nothing.
 */
class RuledUpdateOracleTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.ruledUpdateRounds", 150);
  private static final int UPDATES = 24;
  private static final String TOP = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people," + TOP;
  private static final String GROUPS = "ou=groups," + TOP;
  private static final String ANN = "uid=ann," + PEOPLE;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String BOOK = "cn=book," + ANN;
  private static final String ADMINS = "cn=admins," + GROUPS;
  private static final String STAFF = "cn=staff," + GROUPS;
  private static final String BOTH = "cn=ann+uid=ann," + PEOPLE;
  private static final List<String> NAMES =
      List.of(PEOPLE, GROUPS, ANN, BOB, BOOK, ADMINS, STAFF, BOTH, "cn=new," + GROUPS);
  private static final List<String> PARENTS =
      List.of(TOP, PEOPLE, GROUPS, ANN, ADMINS, "ou=none," + TOP, "cn=x,ou=none," + TOP);
  private static final List<String> RDNS =
      List.of("cn=new", "cn=admins", "uid=ann", "uid=bob", "cn=book", "ou=people", "uid=eve");
  private static final List<String> ATTRIBUTES =
      List.of("cn", "sn", "cn;lang-de", "mail", "member", "uniqueMember", "owner", "uidNumber");
  private static final List<String> TEXTS = List.of("Ann", "ann \"a\"", "x", "bob@x.org");
  private static final List<String> USERS = List.of(ANN, BOB, BOOK, ADMINS, "cn=no," + TOP);
  private static final Set<ResultCode> BEFORE_THE_TURN =
      EnumSet.of(
          ResultCode.OBJECT_CLASS_VIOLATION,
          ResultCode.NAMING_VIOLATION,
          ResultCode.CONSTRAINT_VIOLATION,
          ResultCode.INVALID_ATTRIBUTE_SYNTAX,
          ResultCode.INAPPROPRIATE_MATCHING,
          ResultCode.UNWILLING_TO_PERFORM);

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final Map<Class<?>, Integer> carriedOut = new HashMap<>();
  private final Map<Class<?>, Integer> refused = new HashMap<>();

  private static List<Entry> entries() {
    String all = "extensibleObject";
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(PEOPLE, "objectClass", "organizationalUnit", "ou", "people", "objectClass", all),
        entry(GROUPS, "objectClass", "organizationalUnit", "ou", "groups", "objectClass", all),
        person(ANN, "cn", "Ann", "sn", "(x)", "uid", "ann", "owner", ANN),
        person(BOB, "cn", "Bob", "sn", "x", "uid", "bob", "mail", "bob@x.org"),
        person(BOTH, "cn", "ann", "sn", "x", "uid", "ann"),
        group(BOOK, "member", "cn", "book", "member", BOB, "owner", ANN),
        group(ADMINS, "member", "cn", "admins", "member", STAFF, "member", ANN, "uidNumber", "3"),
        group(STAFF, "uniqueMember", "cn", "staff", "uniqueMember", BOB, "member", ADMINS));
  }

  private static Entry person(String name, String... pairs) {
    return with(name, "inetOrgPerson", pairs);
  }

  private static Entry group(String name, String member, String... pairs) {
    return with(name, member.equals("member") ? "groupOfNames" : "groupOfUniqueNames", pairs);
  }

  private static Entry with(String name, String structural, String... pairs) {
    List<String> all =
        new ArrayList<>(List.of("objectClass", structural, "objectClass", "extensibleObject"));
    all.addAll(List.of(pairs));
    return entry(name, all.toArray(String[]::new));
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @Test
  void shouldAllowWhatTheRulesAllowAndNothingElse() {
    RandomRules rules = new RandomRules(OperationFixture.SCHEMA, random.nextLong());
    int round = 0;
    while (round < ROUNDS || round < 10 * ROUNDS && !haveAllKindsEnded()) {
      run(next(rules), "test.seed=%d round %d".formatted(seed, round++));
    }
    assertThat(haveAllKindsEnded())
        .as("test.seed=%d, carried out %s, refused %s", seed, carriedOut, refused)
        .isTrue();
  }

  /** Returns whether each kind of update was both carried out and refused often enough. */
  private boolean haveAllKindsEnded() {
    return Stream.of(carriedOut, refused)
        .allMatch(
            counts ->
                counts.size() == 4
                    && counts.values().stream().allMatch(count -> count > ROUNDS / 10));
  }

  /** Returns rules that sometimes let users write what the random ones are not about. */
  private AccessRules next(RandomRules rules) {
    String text = RulesPrinter.print(rules.nextOfFile(8));
    String last = random.nextBoolean() ? "\nto all\n  users may write\n" : "\n";
    try {
      return RulesParser.parse("r", (text + last).getBytes(UTF_8), OperationFixture.SCHEMA);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private void run(AccessRules rules, String described) {
    try (UpdateFixture ruled = new UpdateFixture(entries());
        UpdateFixture free = new UpdateFixture(entries())) {
      String text = RulesPrinter.print(rules);
      ruled.rights = new RulesService();
      ruled.access = ruled.access.withRules(new RulesText("r", text));
      for (int i = 0; i < UPDATES; i++) {
        String user = one(USERS);
        Request request = request();
        check(
            ruled,
            free,
            rules,
            user,
            request,
            described + ": " + user + " " + request + "\n" + text);
      }
    }
  }

  private void check(
      UpdateFixture ruled,
      UpdateFixture free,
      AccessRules rules,
      String user,
      Request request,
      String described) {
    ExpectedDecision expected = new ExpectedDecision(rules, ruled.store.entries(), user);
    LdapResult refusal = expected.refusal(request);
    List<String> before = ExpectedDecision.contents(ruled.store.entries());
    ruled.identity = RuledDirectory.identity(user);
    LdapResult found = ruled.result(request);
    if (refusal == null) {
      assertThat(found.code()).as(described).isEqualTo(free.code(request));
      if (found.code() == ResultCode.SUCCESS) {
        carriedOut.merge(request.getClass(), 1, Integer::sum);
      }
      assertThat(ExpectedDecision.contents(ruled.store.entries()))
          .as(described)
          .isEqualTo(ExpectedDecision.contents(free.store.entries()));
      return;
    }
    refused.merge(request.getClass(), 1, Integer::sum);
    assertThat(ExpectedDecision.contents(ruled.store.entries())).as(described).isEqualTo(before);
    if (BEFORE_THE_TURN.contains(found.code())) {
      assertThat(free.code(request)).as(described).isEqualTo(found.code());
    } else {
      assertThat(found.code()).as(described).isEqualTo(refusal.code());
      assertThat(dn(found.matchedDn())).as(described).isEqualTo(dn(refusal.matchedDn()));
    }
  }

  private Request request() {
    return switch (random.nextInt(8)) {
      case 0 -> UpdateFixture.delete(one(NAMES));
      case 1 -> added();
      case 2 ->
          new Request.ModifyDn(
              1,
              one(NAMES),
              one(RDNS),
              random.nextBoolean(),
              random.nextBoolean() ? null : one(PARENTS),
              List.of());
      default -> {
        List<Request.Change> changes = new ArrayList<>();
        for (int i = random.nextInt(2); i >= 0; i--) {
          changes.add(change());
        }
        yield UpdateFixture.modify(one(NAMES), changes.toArray(Request.Change[]::new));
      }
    };
  }

  private Request added() {
    String rdn = one(RDNS);
    return UpdateFixture.add(
        rdn + "," + one(PARENTS),
        "objectClass",
        "inetOrgPerson",
        "objectClass",
        "extensibleObject",
        "sn",
        one(TEXTS),
        "cn",
        "Eve",
        "member",
        one(USERS));
  }

  private Request.Change change() {
    String attribute = one(ATTRIBUTES);
    int kind = random.nextInt(3);
    if (attribute.equals("uidNumber")) {
      return UpdateFixture.change(
          random.nextBoolean() ? 3 : 2, attribute, "" + random.nextInt(1, 5));
    }
    boolean isName = List.of("member", "uniqueMember", "owner").contains(attribute);
    String value = isName ? one(USERS) : one(TEXTS);
    return kind > 0 && random.nextInt(3) == 0
        ? UpdateFixture.change(kind, attribute)
        : UpdateFixture.change(kind, attribute, value);
  }
}
