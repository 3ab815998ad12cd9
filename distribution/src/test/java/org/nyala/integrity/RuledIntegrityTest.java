package org.nyala.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.update.RuledDirectory.ADMINS;
import static org.nyala.core.operation.update.RuledDirectory.BOB;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.RuledDirectory;

/** Tests that rules over several entries tell no more than a client may see. */
class RuledIntegrityTest {
  private final RuledDirectory ruled = new RuledDirectory();

  @AfterEach
  void close() {
    ruled.close();
  }

  @Test
  void shouldNotTellByUniquenessWhichValuesOthersHave() {
    ruled.directory.rules.add(
        new UniquenessRule(
            SCHEMA,
            List.of(
                UniquenessRule.Constraint.of(List.of(SCHEMA.attributeType("mail")), null, null))));
    ruled.directory.restart();
    ruled.rules("to all\n  users may write");
    LdapResult refused = ruled.result(ANN, modify(ANN, change(2, "mail", "b")));
    assertThat(refused.code()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(refused.message()).doesNotContain("another", "bob", "'b'");
  }

  @Test
  void shouldNotTellByReferencesWhichEntriesThereAre() {
    ruled.directory.rules.add(
        new ReferentialIntegrityRule(
            SCHEMA,
            List.of(SCHEMA.attributeType("member")),
            new LastReference.Refused(),
            1000,
            true));
    ruled.directory.restart();
    ruled.rules(
        "to subtree \"" + ADMINS + "\"\n  users may nothing", "to all\n  users may read, write");
    LdapResult refused = ruled.result(ANN, delete(BOB));
    assertThat(refused.code()).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(refused.message()).doesNotContain("admins", "member");
  }
}
