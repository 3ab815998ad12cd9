package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.password.PolicedDirectory.ADD;
import static org.nyala.core.operation.password.PolicedDirectory.DELETE;
import static org.nyala.core.operation.password.PolicedDirectory.REPLACE;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;

/** Tests what the product does not do yet: each test fails. */
@Timeout(120)
class PolicyOrderTest {
  private static final String ANN = PolicedDirectory.name("ann");
  private static final PolicyAnswer SUCCESS = PolicyAnswer.of(ResultCode.SUCCESS);

  private final PolicedDirectory policed = new PolicedDirectory("adaptive", null);
  private final LiveDirectory.Client client = policed.directory.open();

  @AfterEach
  void close() {
    policed.close();
  }

  /**
   * Whoever finds a session open guesses its password, as often as it likes, and nothing counts.
   */
  @Test
  void shouldNotTellThePresentPasswordToWhoeverMustSendIt() {
    policed.policy(
        Map.of(
            "pwdSafeModify",
            "TRUE",
            "pwdInHistory",
            "1",
            "pwdLockout",
            "TRUE",
            "pwdMaxFailure",
            "3"));
    policed.addUser("ann", "first");
    policed.bind(client, ANN, "first");
    PolicyAnswer missing =
        PolicyAnswer.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, PolicyAnswer.MUST_SUPPLY_OLD);
    for (String guess : List.of("guess", "first")) {
      assertThat(policed.modify(client, ANN, change(REPLACE, "userPassword", guess)))
          .isEqualTo(missing);
      assertThat(policed.passwordModify(client, ANN, null, guess)).isEqualTo(missing);
    }
  }

  /** The order of section 8.2, and of security.md. */
  @Test
  void shouldRefuseInTheOrderOfTheDraft() {
    policed.policy(
        Map.of(
            "pwdSafeModify", "TRUE",
            "pwdAllowUserChange", "FALSE",
            "pwdMinAge", "100",
            "pwdInHistory", "1",
            "pwdCheckQuality", "1",
            "pwdMinLength", "10"));
    policed.addUser("ann", "first");
    policed.bind(client, ANN, "first");
    List<Integer> errors = new ArrayList<>();
    errors.add(policed.modify(client, ANN, change(REPLACE, "userPassword", "first")).error());
    policed.policy(Map.of("pwdSafeModify", "FALSE"));
    errors.add(policed.modify(client, ANN, change(REPLACE, "userPassword", "first")).error());
    policed.policy(Map.of("pwdAllowUserChange", "TRUE"));
    errors.add(policed.modify(client, ANN, change(REPLACE, "userPassword", "first")).error());
    policed.policy(Map.of("pwdMinAge", "0"));
    errors.add(policed.modify(client, ANN, change(REPLACE, "userPassword", "first")).error());
    policed.policy(Map.of("pwdMinLength", "0"));
    errors.add(policed.modify(client, ANN, change(REPLACE, "userPassword", "first")).error());
    assertThat(errors).containsExactly(4, 3, 7, 6, 8);
  }

  @Test
  void shouldClearFailuresByARightPasswordThoughNoneCountAnyMore() {
    policed.policy(Map.of("pwdLockout", "TRUE", "pwdMaxFailure", "2"));
    policed.addUser("ann", "first");
    policed.bind(client, ANN, "wrong");
    policed.policy(Map.of("pwdLockout", "FALSE"));
    assertThat(policed.bind(client, ANN, "first")).isEqualTo(SUCCESS);
    policed.settle();
    policed.policy(Map.of("pwdLockout", "TRUE"));
    policed.bind(client, ANN, "wrong");
    assertThat(policed.bind(client, ANN, "first")).isEqualTo(SUCCESS);
  }

  /** The server itself stores passwords anew after logins: the old one is still the same. */
  @Test
  void shouldChangePasswordsThatTheServerStoresAnew() {
    List<PolicyAnswer> answers = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String name = PolicedDirectory.name("user" + i);
      policed.addUser("user" + i, "x");
      byte[] weak = PasswordHash.create(PasswordScheme.SSHA, "first".getBytes(UTF_8), new Random());
      policed.asRoot(name, change(REPLACE, "userPassword", new String(weak, UTF_8)));
      policed.bind(client, name, "first");
      answers.add(
          policed.modify(
              client,
              name,
              change(DELETE, "userPassword", "first"),
              change(ADD, "userPassword", "second")));
    }
    assertThat(answers).containsOnly(SUCCESS);
  }

  @Test
  void shouldGeneratePasswordsThatThePolicyAllows() {
    policed.policy(Map.of("pwdCheckQuality", "1", "pwdMaxLength", "12"));
    policed.addUser("ann", "first");
    policed.bind(client, ANN, "first");
    byte[] value =
        new BerWriter().sequence(new BerWriter().octets(0x80, ANN.getBytes(UTF_8))).toByteArray();
    LiveDirectory.Event event = client.extended(AccountControl.PASSWORD_MODIFY, value);
    // A sequence of one string, each with a tag and a length.
    assertThat(event.value()).hasSizeLessThanOrEqualTo(12 + 4);
  }

  /** An account is locked as its state says. */
  @Test
  void shouldNotDelayAfterFailuresThatDelayedNothing() {
    policed.policy(Map.of("pwdLockout", "TRUE", "pwdMaxFailure", "5"));
    policed.addUser("ann", "first");
    policed.bind(client, ANN, "wrong");
    policed.policy(Map.of("pwdMinDelay", "10", "pwdMaxDelay", "10"));
    assertThat(policed.times(ANN, "pwdAccountTmpLockoutEnd")).isEmpty();
    assertThat(policed.bind(client, ANN, "first")).isEqualTo(SUCCESS);
  }
}
