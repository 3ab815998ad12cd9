package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.Seeds;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.TestPermit;

/**
 * Compares random logins and changes of passwords under random policies with {@link
 * ExpectedAccount}, and the state of the account afterwards.
 */
@Timeout(3600)
class PolicyOracleTest {
  private static final int STEPS = Integer.getInteger("nyala.test.policySteps", 2_000);
  private static final int STEPS_OF_ROUND = 50;

  /** Outcomes that the steps go on for, up to ten times as many, if they are rare with a seed. */
  private static final List<String> REQUIRED =
      List.of(
          "bind SUCCESS -1",
          "bind SUCCESS -1 warned",
          "bind INVALID_CREDENTIALS 0",
          "change CONSTRAINT_VIOLATION 8",
          "change UNWILLING_TO_PERFORM 4");

  private static final List<String> PASSWORDS =
      List.of("a1", "bb22", "ccc333", "dddd4444", "eeeee55555", "ffffff666666");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final Set<String> outcomes = new TreeSet<>();
  private final List<String> trace = new ArrayList<>();
  private ExpectedAccount account = new ExpectedAccount();
  private Bound bound = Bound.ANONYMOUS;
  private boolean isRuled;
  private PolicedDirectory policed;
  private LiveDirectory.Client owner;
  private LiveDirectory.Client other;
  private String name;

  /** The session of the owner. */
  private enum Bound {
    ANONYMOUS,
    OPEN,
    MUST_CHANGE
  }

  /** The ways in which owners change their passwords. */
  private enum Way {
    REPLACE,
    DELETE_AND_ADD,
    OPERATION,
    OPERATION_WITH_OLD,
    DELETE_ALL,
    DELETE,
    ADD;

    boolean sendsOld() {
      return this == DELETE_AND_ADD || this == OPERATION_WITH_OLD || this == DELETE;
    }

    boolean isDelete() {
      return this == DELETE_ALL || this == DELETE;
    }
  }

  @Test
  void shouldFollowTheDraft() {
    run(null);
  }

  @Test
  void shouldFollowTheDraftUnderRules() {
    run(PolicedDirectory.RULES);
  }

  @AfterEach
  void close() {
    policed.close();
  }

  private void run(@Nullable String rules) {
    isRuled = rules != null;
    policed = new PolicedDirectory("adaptive", rules);
    owner = policed.directory.open();
    other = policed.directory.open();
    for (int i = 0; i < STEPS || i < 10 * STEPS && !outcomes.containsAll(REQUIRED); i++) {
      if (i % STEPS_OF_ROUND == 0) {
        begin("ann" + i);
      }
      step();
      policed.settle();
      compare();
    }
    assertThat(outcomes).as(() -> "seed " + seed).hasSizeGreaterThan(12).containsAll(REQUIRED);
  }

  private void begin(String user) {
    if (name != null) {
      policed.delete(name);
    }
    trace.clear();
    name = PolicedDirectory.name(user);
    account = new ExpectedAccount();
    choosePolicy();
    account.password = pick();
    account.changed = policed.now;
    policed.addUser(user, account.password);
    say("added with " + account.password);
    bindOwner(account.password);
    policed.settle();
  }

  private String pick() {
    return PASSWORDS.get(random.nextInt(PASSWORDS.size()));
  }

  /** Returns a password as the server would store it: it need not do so itself after a login. */
  private String hashed(String password) {
    byte[] bytes = password.getBytes(UTF_8);
    return new String(PasswordHash.create(PasswordScheme.SSHA512, bytes, random), UTF_8);
  }

  /** Returns the right password more often than not. */
  private String tried() {
    String right = account.password;
    return right != null && random.nextInt(3) > 0 ? right : pick();
  }

  private void choosePolicy() {
    Map<String, String> policy = RandomPolicy.choose(random);
    account.policy = policy;
    policed.policy(policy);
    say("policy " + policy);
  }

  /** Chooses another policy, by which wrong passwords count and delay as they did before. */
  private void changePolicy() {
    boolean counted = account.counts();
    Map<String, String> before = account.policy;
    choosePolicy();
    boolean isSameDelay =
        Stream.of("pwdMinDelay", "pwdMaxDelay")
            .allMatch(each -> before.get(each).equals(account.policy.get(each)));
    if (account.counts() != counted || !isSameDelay) {
      account.policy = before;
      policed.policy(before);
      say("policy " + before);
    }
  }

  private void say(String what) {
    trace.add(policed.now + " " + what);
  }

  private void step() {
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> pass();
      case 4, 5, 6 -> bind(tried());
      case 7 -> bind(pick());
      case 8 -> bindOwner(tried());
      case 9 -> search();
      case 10, 11, 12, 13, 14, 15 -> changeOwn();
      case 16, 17 -> reset();
      case 18 -> administer();
      default -> {
        if (random.nextInt(3) == 0) {
          changePolicy();
        } else {
          pass();
        }
      }
    }
  }

  private void pass() {
    List<Instant> bounds = account.bounds(policed.now);
    if (bounds.isEmpty() || random.nextBoolean()) {
      policed.now = policed.now.plusSeconds(1 + random.nextInt(random.nextInt(5) == 0 ? 200 : 20));
    } else {
      Instant bound = bounds.get(random.nextInt(bounds.size()));
      policed.now = bound.truncatedTo(ChronoUnit.SECONDS).plusSeconds(random.nextInt(-1, 2));
    }
    say("now");
  }

  private void bind(String password) {
    boolean isPlain = random.nextBoolean();
    say((isPlain ? "PLAIN " : "bind ") + password);
    PolicyAnswer expected = account.bind(password, policed.now);
    PolicyAnswer answer =
        isPlain ? policed.plain(other, name, password) : policed.bind(other, name, password);
    check("bind", answer, List.of(expected));
  }

  private void bindOwner(String password) {
    say("the owner binds with " + password);
    PolicyAnswer expected = account.bind(password, policed.now);
    check("bind", policed.bind(owner, name, password), List.of(expected));
    if (expected.code() != ResultCode.SUCCESS) {
      bound = Bound.ANONYMOUS;
    } else {
      bound = expected.error() == PolicyAnswer.CHANGE_AFTER_RESET ? Bound.MUST_CHANGE : Bound.OPEN;
    }
  }

  private void search() {
    PolicyAnswer answer = policed.search(owner, name);
    PolicyAnswer refused =
        PolicyAnswer.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, PolicyAnswer.CHANGE_AFTER_RESET);
    ResultCode allowed =
        isRuled && bound == Bound.ANONYMOUS ? ResultCode.NO_SUCH_OBJECT : ResultCode.SUCCESS;
    check(
        "search", answer, List.of(bound == Bound.MUST_CHANGE ? refused : PolicyAnswer.of(allowed)));
  }

  private void changeOwn() {
    Way way = Way.values()[random.nextInt(isRuled ? Way.values().length : 4)];
    if (way == Way.DELETE_ALL && account.password == null) {
      return;
    }
    String old = tried();
    String wanted = way.isDelete() ? null : pick();
    say(bound + " changes by " + way + " from " + old + " to " + wanted);
    PolicyAnswer answer = send(way, old, wanted == null ? "" : wanted);
    List<PolicyAnswer> refusals = refusals(way, old, wanted);
    if (!refusals.isEmpty()) {
      check("change", answer, refusals);
      return;
    }
    check("change", answer, List.of(PolicyAnswer.of(ResultCode.SUCCESS)));
    account.changedByOwner(wanted, policed.now);
    bound = Bound.OPEN;
  }

  private List<PolicyAnswer> refusals(Way way, String old, @Nullable String wanted) {
    if (bound == Bound.ANONYMOUS) {
      return List.of(PolicyAnswer.of(ResultCode.STRONGER_AUTH_REQUIRED));
    }
    if (bound == Bound.MUST_CHANGE && way.isDelete()) {
      return List.of(
          PolicyAnswer.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, PolicyAnswer.CHANGE_AFTER_RESET));
    }
    List<PolicyAnswer> demands = account.demands(way.sendsOld(), policed.now);
    if (!demands.isEmpty()) {
      // The first one, and no password is looked at.
      return demands.subList(0, 1);
    }
    if (way.sendsOld() && !account.proves(old, policed.now)) {
      return List.of(
          PolicyAnswer.of(ResultCode.UNWILLING_TO_PERFORM, PolicyAnswer.MUST_SUPPLY_OLD));
    }
    List<PolicyAnswer> refusals = account.refusals(way.sendsOld(), wanted, policed.now);
    if (way == Way.ADD && account.password != null) {
      refusals.add(PolicyAnswer.of(ResultCode.CONSTRAINT_VIOLATION));
    }
    return refusals;
  }

  private PolicyAnswer send(Way way, String old, String wanted) {
    Request.Change add = change(PolicedDirectory.ADD, "userPassword", wanted);
    Request.Change delete = change(PolicedDirectory.DELETE, "userPassword", old);
    Request.Change replace = change(PolicedDirectory.REPLACE, "userPassword", wanted);
    return switch (way) {
      case REPLACE -> policed.modify(owner, name, replace);
      case DELETE_AND_ADD -> policed.modify(owner, name, delete, add);
      case OPERATION -> policed.passwordModify(owner, name, null, wanted);
      case OPERATION_WITH_OLD -> policed.passwordModify(owner, name, old, wanted);
      case DELETE -> policed.modify(owner, name, delete);
      case DELETE_ALL ->
          policed.modify(owner, name, change(PolicedDirectory.DELETE, "userPassword"));
      case ADD -> policed.modify(owner, name, add);
    };
  }

  private void reset() {
    String wanted = random.nextInt(8) == 0 ? null : pick();
    say("root sets " + wanted);
    if (wanted == null) {
      policed.asRoot(name, change(PolicedDirectory.REPLACE, "userPassword"));
    } else if (random.nextBoolean()) {
      policed.asRoot(name, change(PolicedDirectory.REPLACE, "userPassword", hashed(wanted)));
    } else {
      assertThat(policed.passwordModify(policed.root, name, null, wanted).code())
          .isEqualTo(ResultCode.SUCCESS);
    }
    account.changedByManager(wanted, policed.now);
  }

  private void administer() {
    Instant time = policed.now.plusSeconds(random.nextInt(-20, 20));
    switch (random.nextInt(7)) {
      case 6 -> {
        set("pwdAccountLockedTime", time);
        account.isLockedForGood = false;
        account.locked = time;
      }
      case 0 -> {
        set("pwdAccountLockedTime", "000001010000Z");
        account.isLockedForGood = true;
        account.locked = null;
      }
      case 1, 2 -> {
        if (account.isLockedForGood || account.locked != null) {
          set("pwdAccountLockedTime");
          account.unlocked();
        }
      }
      case 3 -> {
        account.start = random.nextBoolean() ? time : null;
        set("pwdStartTime", account.start);
      }
      case 4 -> {
        account.end = random.nextBoolean() ? time.plusSeconds(20) : null;
        set("pwdEndTime", account.end);
      }
      default -> {
        account.isReset = random.nextBoolean();
        set("pwdReset", account.isReset ? "TRUE" : "FALSE");
      }
    }
  }

  private void set(String attribute, @Nullable Instant time) {
    if (time == null) {
      set(attribute);
    } else {
      set(attribute, TIME.format(time));
    }
  }

  private void set(String attribute, String... values) {
    say("root sets " + attribute + " to " + List.of(values));
    policed.asRoot(name, change(PolicedDirectory.REPLACE, attribute, values));
  }

  private void check(String what, PolicyAnswer answer, List<PolicyAnswer> expected) {
    boolean isWarned = answer.seconds() >= 0 || answer.grace() >= 0;
    outcomes.add(what + " " + answer.code() + " " + answer.error() + (isWarned ? " warned" : ""));
    assertThat(expected).as(this::replay).contains(answer);
  }

  private String replay() {
    return "-Dtest.seed=" + seed + "\n" + String.join("\n", trace) + "\n";
  }

  private void compare() {
    List<String> former = new ArrayList<>();
    for (String value : policed.directory.values(name, "pwdHistory")) {
      String stored = value.split("#", 4)[3];
      PASSWORDS.stream().filter(each -> isStored(each, stored)).forEach(former::add);
    }
    assertThat(former).as(this::replay).containsExactlyInAnyOrderElementsOf(account.history);
    List<String> stored = policed.directory.values(name, "userPassword");
    assertThat(stored).as(this::replay).hasSize(account.password == null ? 0 : 1);
    assertThat(stored).as(this::replay).allMatch(each -> isStored(account.password, each));
    compare("pwdChangedTime", account.changed);
    compare("pwdLastSuccess", account.lastSuccess);
    compare("pwdAccountTmpLockoutEnd", account.delayed);
    if (account.isLockedForGood) {
      assertThat(policed.directory.values(name, "pwdAccountLockedTime"))
          .as(this::replay)
          .containsExactly("000001010000Z");
    } else {
      compare("pwdAccountLockedTime", account.locked);
    }
    assertThat(policed.times(name, "pwdFailureTime")).as(this::replay).isEqualTo(account.failures);
    assertThat(policed.times(name, "pwdGraceUseTime"))
        .as(this::replay)
        .doesNotHaveDuplicates()
        .hasSize(account.graceUses);
    assertThat(policed.directory.values(name, "pwdReset").contains("TRUE"))
        .as(this::replay)
        .isEqualTo(account.isReset);
  }

  private static boolean isStored(String password, String stored) {
    return TestPermit.matches(PasswordHash.parse(stored.getBytes(UTF_8)), password);
  }

  private void compare(String attribute, @Nullable Instant expected) {
    assertThat(policed.times(name, attribute))
        .as(() -> attribute + " " + replay())
        .isEqualTo(expected == null ? List.of() : List.of(expected));
  }
}
