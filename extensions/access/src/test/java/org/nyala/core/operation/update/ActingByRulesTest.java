package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.update.RuledDirectory.ADMINS;
import static org.nyala.core.operation.update.RuledDirectory.BOB;
import static org.nyala.core.operation.update.RuledDirectory.HIDDEN;
import static org.nyala.core.operation.update.RuledDirectory.SECRET;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;

/** Tests the right to act as another, and to relax the rules of the data model, by access rules. */
class ActingByRulesTest {
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final RequestControl RELAX =
      new RequestControl(ControlType.RELAX_RULES.oid(), true, null);

  private final RuledDirectory ruled = new RuledDirectory();

  @AfterEach
  void close() {
    ruled.close();
  }

  private static RequestControl proxied(String authorizationId) {
    return new RequestControl(
        ControlType.PROXIED_AUTHORIZATION.oid(), true, authorizationId.getBytes(UTF_8));
  }

  private String whoAmI(String user, String authorizationId) {
    RecordingSink sink =
        ruled.run(user, new Request.Extended(1, WHO_AM_I, null, List.of(proxied(authorizationId))));
    return sink.code() == ResultCode.SUCCESS
        ? new String(sink.extendedValue, UTF_8)
        : sink.code().toString();
  }

  @Test
  void shouldActAsUsersOfEntriesThatRulesName() {
    ruled.rules(
        "to subtree \"" + PEOPLE + "\" attributes entry",
        " entry \"" + BOB + "\" may proxy",
        "to entry \"" + LEAF + "\" attributes description",
        " entry \"" + ANN + "\" may write",
        "to all\n users may disclose");
    assertThat(whoAmI(BOB, "dn:" + ANN)).isEqualTo("dn:" + ANN);
    assertThat(whoAmI(BOB, "dn:" + BOB)).isEqualTo("dn:" + BOB);
    assertThat(whoAmI(ANN, "dn:" + BOB)).isEqualTo("AUTHORIZATION_DENIED");
    Request plain = modify(LEAF, change(2, "description", "x"));
    Request asAnn = modify(List.of(proxied("dn:" + ANN)), LEAF, change(2, "description", "by ann"));
    assertThat(ruled.code(BOB, plain)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(BOB, asAnn)).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.directory.stored(LEAF).get("modifiersName")).containsExactly(ANN);
  }

  @Test
  void shouldNotTellWhetherThereIsSuchAnEntry() {
    ruled.rules(
        "to subtree \"" + HIDDEN + "\"\n all may nothing", "to all\n users may manage, proxy");
    LdapResult hidden = refusal("dn:" + SECRET);
    assertThat(hidden.message()).isEqualTo("there is no such identity, or it may not be taken");
    for (String other :
        List.of("dn:cn=none," + HIDDEN, "dn:cn=none," + PEOPLE, "dn:cn=x,o=elsewhere", "", "dn:")) {
      assertThat(refusal(other)).as(other).isEqualTo(hidden);
    }
  }

  private LdapResult refusal(String authorizationId) {
    LdapResult result =
        ruled.result(
            ANN, new Request.Extended(1, WHO_AM_I, null, List.of(proxied(authorizationId))));
    assertThat(result.code()).isEqualTo(ResultCode.AUTHORIZATION_DENIED);
    return result;
  }

  @Test
  void shouldNeedMoreThanToManage() {
    ruled.rules("to all\n users may manage");
    assertThat(whoAmI(ANN, "dn:" + BOB)).isEqualTo("AUTHORIZATION_DENIED");
    ruled.rules("to all\n all may manage, proxy");
    assertThat(whoAmI("", "dn:" + BOB)).isEqualTo("dn:" + BOB);
  }

  @Test
  void shouldGoByTheGroupsOfNow() {
    ruled.rules("to all\n group \"" + ADMINS + "\" may proxy\n users may write");
    assertThat(whoAmI(BOB, "dn:" + ANN)).isEqualTo("dn:" + ANN);
    assertThat(ruled.asRoot(modify(ADMINS, change(2, "member", ANN))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(whoAmI(BOB, "dn:" + ANN)).isEqualTo("AUTHORIZATION_DENIED");
    assertThat(whoAmI(ANN, "dn:" + BOB)).isEqualTo("dn:" + BOB);
  }

  @Test
  void shouldGoByFiltersAndByTheEntryItself() {
    ruled.rules(
        "to all where (mail=b) attributes entry\n listed in member may proxy",
        "to entry \"" + ADMINS + "\" attributes entry\n listed in owner may proxy",
        "to all\n users may write");
    assertThat(whoAmI(ANN, "dn:" + BOB)).isEqualTo("AUTHORIZATION_DENIED");
    assertThat(whoAmI(BOB, "dn:" + ADMINS)).isEqualTo("dn:" + ADMINS);
    assertThat(whoAmI(ANN, "dn:" + ADMINS)).isEqualTo("AUTHORIZATION_DENIED");
  }

  @Test
  void shouldRelaxWhatMayBeManaged() {
    ruled.rules(
        "to attributes entryUUID, sn\n users may manage",
        "to attributes ou\n users may add",
        "to all\n users may write");
    String uuid = "00000000-0000-0000-0000-00000000abcd";
    Request.Change change = change(2, "entryUUID", uuid);
    assertThat(ruled.code(ANN, modify(List.of(RELAX), LEAF, change))).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.directory.stored(LEAF).get("entryUUID")).containsExactly(uuid);
    assertThat(ruled.code(ANN, modify(LEAF, change))).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(ruled.code(ANN, modify(List.of(RELAX), LEAF, change(2, "description", "x"))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, modify(List.of(RELAX), LEAF, change, change(2, "description", "x"))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    Request.ModifyDn renamed =
        new Request.ModifyDn(1, LEAF, "ou=other", false, null, List.of(RELAX));
    assertThat(ruled.code(ANN, renamed)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    Request.Add added =
        new Request.Add(
            1,
            "ou=new," + PEOPLE,
            List.of(UpdateFixture.values("objectClass", "organizationalUnit")),
            List.of(RELAX));
    assertThat(ruled.code(ANN, added)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules("to all\n users may manage");
    assertThat(ruled.code(ANN, added)).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, renamed)).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, delete(ADMINS, RELAX))).isEqualTo(ResultCode.SUCCESS);
  }
}
