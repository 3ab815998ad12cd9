package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ALIAS;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.AWAY;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.delete;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

final class DeleteOperationTest {
  private static final RequestControl TREE =
      new RequestControl("1.2.840.113556.1.4.805", true, null);
  private static final RequestControl NO_OP =
      new RequestControl("1.3.6.1.4.1.4203.666.5.2", true, null);

  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private ResultCode code(String name, RequestControl... controls) {
    return directory.code(delete(name, controls));
  }

  @Test
  void shouldDeleteLeavesUntilNothingIsLeft() {
    assertThat(code(TOP)).isEqualTo(ResultCode.NOT_ALLOWED_ON_NON_LEAF);
    assertThat(code(PEOPLE)).isEqualTo(ResultCode.NOT_ALLOWED_ON_NON_LEAF);
    for (String name : List.of(ANN, PEOPLE, LEAF, ALIAS)) {
      assertThat(code(name)).as(name).isEqualTo(ResultCode.SUCCESS);
    }
    assertThat(directory.names()).containsExactlyInAnyOrder(TOP, AWAY);
    assertThat(code(AWAY, OperationFixture.manageDsaIt())).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(TOP)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.names()).isEmpty();
    assertThat(code(TOP)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  /** UnboundID and others send the identifier of the draft. */
  @Test
  void shouldKnowNoOpByBothIdentifiers() {
    RequestControl other = new RequestControl("1.3.6.1.4.1.4203.1.10.2", true, null);
    assertThat(code(LEAF, NO_OP)).isEqualTo(ResultCode.NO_OPERATION);
    assertThat(code(LEAF, other)).isEqualTo(ResultCode.NO_OPERATION);
    assertThat(code(LEAF, NO_OP, other)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(directory.names()).contains(LEAF);
  }

  @Test
  void shouldNameEachControlThatIsNotThere() {
    RequestControl sort = new RequestControl("1.2.840.113556.1.4.473", true, new byte[] {0x30, 0});
    assertThat(directory.result(delete(LEAF, sort)).message())
        .isEqualTo("control 1.2.840.113556.1.4.473 (sort) is not available here");
    RequestControl unknown = new RequestControl("1.2.3.4", true, null);
    assertThat(directory.result(delete(LEAF, unknown)).message())
        .isEqualTo("control 1.2.3.4 is not available here");
  }

  @Test
  void shouldSayWhatStandsInTheWay() {
    LdapResult missing = directory.result(delete("cn=x,uid=ANN," + PEOPLE));
    assertThat(missing.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(missing.matchedDn()).isEqualTo(ANN);
    assertThat(directory.result(delete("cn=x," + ALIAS)).matchedDn()).isEqualTo(ALIAS);
    LdapResult referral = directory.result(delete("cn=x," + AWAY));
    assertThat(referral.code()).isEqualTo(ResultCode.REFERRAL);
    assertThat(referral.referrals())
        .containsExactly("ldap://elsewhere.example.com/cn=x,ou=away,dc=example,dc=com");
    assertThat(code(AWAY)).isEqualTo(ResultCode.REFERRAL);
    assertThat(code("")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(code("cn=Subschema")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(code("dc=nowhere")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.names()).hasSize(6);
  }

  @Test
  void shouldDeleteTrees() {
    assertThat(code(TOP, TREE, NO_OP)).isEqualTo(ResultCode.NO_OPERATION);
    assertThat(directory.names()).hasSize(6);
    assertThat(code(PEOPLE, TREE)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.names()).containsExactlyInAnyOrder(TOP, LEAF, ALIAS, AWAY);
    assertThat(code(TOP, TREE)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.names()).isEmpty();
  }

  @Test
  void shouldDeleteNothingOfATreeThatIsTooLarge() {
    ServerLimits d = ServerLimits.DEFAULT;
    directory.limits =
        TestLimits.with(
            d,
            new ServerLimits.UpdateLimits(
                16, 16, 5, 100, 100, 3_000_000, ServerLimits.EntrySizes.DEFAULT));
    assertThat(code(TOP, TREE)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.names()).hasSize(6);
    assertThat(code(ANN)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(TOP, TREE)).isEqualTo(ResultCode.SUCCESS);
  }
}
