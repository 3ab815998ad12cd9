package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.integrity.LastReference;
import org.nyala.integrity.ReferentialIntegrityRule;

/** References to dynamic entries whose time is over. */
class ExpiredReferencesTest extends DynamicEntriesTestCase {
  @Test
  void shouldFollowReferencesAndWaitWhereThatIsRefused() {
    directory.rules.add(
        new ReferentialIntegrityRule(
            SCHEMA,
            List.of(SCHEMA.attributeType("member")),
            new LastReference.Refused(),
            1000,
            true));
    add(CALL);
    add(PART);
    String group = "cn=group," + TOP;
    assertThat(
            directory.code(
                UpdateFixture.add(
                    group,
                    "objectClass",
                    "groupOfNames",
                    "cn",
                    "group",
                    "member",
                    CALL,
                    "member",
                    PART)))
        .isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    // A group must have a member, so the last one stays.
    assertThat(directory.stored(PART)).isNull();
    assertThat(directory.stored(CALL)).isNotNull();
    assertThat(directory.stored(group)).containsEntry("member", List.of(CALL));
    assertThat(directory.code(modify(group, change(0, "member", PEOPLE))))
        .isEqualTo(ResultCode.SUCCESS);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    pass(60);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(directory.stored(group)).containsEntry("member", List.of(PEOPLE));
  }
}
