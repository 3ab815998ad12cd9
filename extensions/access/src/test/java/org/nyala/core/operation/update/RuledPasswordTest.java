package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.update.RuledDirectory.BOB;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/** Tests which rights changes of passwords take, and how they are stored. */
class RuledPasswordTest {
  private static final String SELF =
      "to attributes userPassword\n  self may write\nto all\n  users may read";
  private static final String MANAGER =
      "to attributes userPassword\n  entry \"" + ANN + "\" may manage\nto all\n  users may write";
  private static final String HASH = "{SSHA}AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

  private final RuledDirectory ruled = new RuledDirectory();

  @AfterEach
  void close() {
    ruled.close();
  }

  private static Request passwordModify(
      @Nullable String user, @Nullable String old, @Nullable String fresh) {
    BerWriter content = new BerWriter();
    append(content, 0x80, user);
    append(content, 0x81, old);
    append(content, 0x82, fresh);
    byte[] value = new BerWriter().sequence(content).toByteArray();
    return new Request.Extended(1, AccountControl.PASSWORD_MODIFY, value, List.of());
  }

  private static void append(BerWriter content, int tag, @Nullable String text) {
    if (text != null) {
      content.octets(tag, text.getBytes(UTF_8));
    }
  }

  private String password(String name) {
    List<String> values = ruled.directory.stored(name).get("userPassword");
    assertThat(values).hasSize(1);
    return values.getFirst();
  }

  @Test
  void shouldHashWhatUsersMaySetByRule() {
    ruled.rules(SELF);
    assertThat(ruled.code(ANN, modify(ANN, change(2, "userPassword", "better"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(password(ANN)).startsWith("{SSHA512}");
    assertThat(ruled.code(ANN, modify(ANN, change(1, "userPassword", "better"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, modify(ANN, change(0, "userPassword", "good"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(password(ANN)).startsWith("{SSHA512}");
    assertThat(ruled.code(ANN, modify(ANN, change(2, "userPassword", ""))))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(ruled.code(BOB, modify(ANN, change(2, "userPassword", "x"))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(BOB, modify(ANN, change(1, "userPassword", "good"))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, modify(ANN, change(2, "sn", "x"))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldTakeHashesFromManagersAlone() {
    ruled.rules(SELF);
    for (int kind : new int[] {0, 2}) {
      assertThat(ruled.code(ANN, modify(ANN, change(kind, "2.5.4.35", HASH))))
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      assertThat(ruled.code(ANN, modify(ANN, change(kind, "userPassword", "clear", HASH))))
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
    assertThat(ruled.directory.stored(ANN)).doesNotContainKey("userPassword");
    ruled.rules(MANAGER);
    assertThat(ruled.code(ANN, modify(BOB, change(2, "userPassword", HASH))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(password(BOB)).isEqualTo(HASH);
  }

  @Test
  void shouldHashPasswordsOfNewEntries() {
    String eve = "uid=eve," + PEOPLE;
    ruled.rules("to all\n  users may write");
    assertThat(ruled.code(ANN, account(eve, HASH)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, account(eve, "clear"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(password(eve)).startsWith("{SSHA512}");
    ruled.rules("to attributes children\n  users may nothing\nto all\n  users may write");
    assertThat(ruled.code(ANN, account("uid=f," + PEOPLE, "clear")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules("to all\n  users may manage");
    assertThat(ruled.code(ANN, account("uid=f," + PEOPLE, HASH))).isEqualTo(ResultCode.SUCCESS);
  }

  private static Request account(String name, String password) {
    return add(
        name,
        "objectClass",
        "account",
        "objectClass",
        "simpleSecurityObject",
        "uid",
        name.substring(4, name.indexOf(',')),
        "userPassword",
        password);
  }

  @Test
  void shouldModifyPasswordsByRule() {
    ruled.rules(SELF);
    assertThat(ruled.code(ANN, passwordModify(null, null, "first"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, passwordModify(ANN, "first", "next"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, passwordModify(ANN, "wrong", "x")))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    // Those who may not change a password are not told if the old one is right.
    for (String old : List.of("next", "wrong")) {
      assertThat(ruled.result(BOB, passwordModify(ANN, old, "x")))
          .isEqualTo(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
    }
    assertThat(ruled.code(BOB, passwordModify(ANN, null, "x")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules("to attributes userPassword\n  self may add\nto all\n  users may read");
    assertThat(ruled.code(ANN, passwordModify(null, "next", "x")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldHideEntriesWhosePasswordsMayNotBeModified() {
    ruled.rules("to entry \"" + BOB + "\"\n  self may write\nto all\n  users may read");
    LdapResult hidden = ruled.result(ANN, passwordModify(BOB, "old", "new"));
    assertThat(hidden).isEqualTo(ruled.result(ANN, passwordModify("uid=no," + PEOPLE, "o", "n")));
    assertThat(hidden.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(hidden.matchedDn()).isEqualTo(PEOPLE);
    LdapResult modified = ruled.result(ANN, modify(BOB, change(2, "userPassword", "x")));
    assertThat(modified).isEqualTo(hidden);
    assertThat(ruled.result(ANN, passwordModify(TOP, null, "x")).code())
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldNotModifyPasswordsWhoseValuesRulesTellApart() {
    ruled.rules(
        "to attributes userPassword value \"{SSHA}x\"\n  self may nothing",
        "to attributes userPassword\n  self may write",
        "to all\n  users may read");
    assertThat(ruled.code(ANN, passwordModify(null, null, "x")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }
}
