package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicyRule;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.policy.PolicyChoice;
import org.nyala.core.session.OperationFixture;

/** Chooses policies by subtree, filter and group, and shows which one applies. */
@Timeout(60)
class PolicyChoiceTest {
  private static final String TOP = UpdateFixture.TOP;
  private static final String STAFF = "ou=staff," + TOP;
  private static final List<PolicyRule> RULES =
      List.of(
          new PolicyRule(null, null, dn("cn=guards," + TOP), dn(policy("guards"))),
          new PolicyRule(null, "(title=boss)", null, dn(policy("missing"))),
          new PolicyRule(dn(STAFF), "(title=boss)", null, dn(policy("bosses"))),
          new PolicyRule(dn(STAFF), null, null, dn(policy("staff"))));

  private final LiveDirectory directory =
      new LiveDirectory(
          "adaptive",
          ServerLimits.DEFAULT,
          new AccessPolicy(true)
              .withPasswordPolicy(PolicySettings.NONE.by(dn(policy("others")), RULES)));
  private final LiveDirectory.Client root = directory.root();

  private static Dn dn(String text) {
    return UpdateFixture.dn(text);
  }

  private static String policy(String name) {
    return "cn=" + name + "," + TOP;
  }

  @BeforeEach
  void fill() {
    add(STAFF, "objectClass=organizationalUnit");
    for (String name : List.of("guards", "bosses", "staff", "others", "own")) {
      String[] plain = {"objectClass=device", "objectClass=pwdPolicy", "pwdAttribute=2.5.4.35"};
      String[] guards = {
        "objectClass=groupOfNames",
        "objectClass=pwdPolicy",
        "pwdAttribute=2.5.4.35",
        "member=cn=eve," + TOP
      };
      add(policy(name), name.equals("guards") ? guards : plain);
    }
    person("cn=ann," + STAFF, "title=boss");
    person("cn=bob," + STAFF, "title=clerk");
    person("cn=eve," + TOP, "title=boss");
    person("cn=max," + TOP, "title=boss");
    person("cn=tim," + TOP, "pwdPolicySubentry=" + policy("own"));
    person("cn=una," + TOP, "pwdPolicySubentry=" + policy("missing"));
    add("cn=none," + STAFF, "objectClass=organizationalPerson", "sn=N", "title=boss");
  }

  private void person(String name, String more) {
    add(name, "objectClass=organizationalPerson", "sn=S", "userPassword=secret", more);
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private void add(String name, String... attributes) {
    assertThat(root.add(name, attributes)).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  private ResultCode compare(String name, String policy, RequestControl... controls) {
    return root.ask(
            new Request.Compare(
                root.nextId(),
                name,
                "pwdPolicySubentry",
                policy.getBytes(UTF_8),
                List.of(controls)))
        .result()
        .code();
  }

  private void requireApplies(String name, String policy) {
    assertThat(compare(name, policy)).as(name).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(name, TOP)).as(name).isEqualTo(ResultCode.COMPARE_FALSE);
  }

  @Test
  void shouldChooseTheFirstThatFits() {
    requireApplies("cn=ann," + STAFF, policy("bosses").toUpperCase(Locale.ROOT));
    requireApplies("cn=bob," + STAFF, policy("staff"));
    requireApplies("cn=eve," + TOP, policy("guards"));
    requireApplies("cn=max," + TOP, policy("others"));
    requireApplies("cn=tim," + TOP, policy("own"));
    // It names one that is not there, which it says.
    assertThat(compare("cn=una," + TOP, policy("missing"))).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare("cn=none," + STAFF, policy("staff")))
        .isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    RequestControl manage = new RequestControl("2.16.840.1.113730.3.4.2", true, null);
    assertThat(compare("cn=ann," + STAFF, policy("bosses"), manage))
        .isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
  }

  @Test
  void shouldApplyThePolicyThatItShows() {
    List<Request.Change> changes =
        List.of(
            new Request.Change(
                2, new Request.AttributeValues("pwdMaxFailure", List.of("1".getBytes(UTF_8)))),
            new Request.Change(
                2, new Request.AttributeValues("pwdLockout", List.of("TRUE".getBytes(UTF_8)))));
    assertThat(
            root.ask(new Request.Modify(root.nextId(), policy("staff"), changes, List.of()))
                .result()
                .code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(bind("cn=bob," + STAFF, "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(bind("cn=bob," + STAFF, "secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(bind("cn=ann," + STAFF, "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(bind("cn=ann," + STAFF, "secret")).isEqualTo(ResultCode.SUCCESS);
  }

  private ResultCode bind(String name, String password) {
    LiveDirectory.Client client = directory.open();
    return client
        .ask(new Request.Bind(client.nextId(), 3, name, null, password.getBytes(UTF_8), List.of()))
        .result()
        .code();
  }

  @Test
  void shouldRefuseRulesWithoutAFilter() {
    List<PolicyRule> rules = List.of(new PolicyRule(null, "(cn=", null, dn(TOP)));
    assertThatThrownBy(() -> new PolicyChoice(OperationFixture.SCHEMA, rules))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
