package org.nyala.core.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.operation.UpdateFixture.LEAF;

import org.junit.jupiter.api.Test;
import org.nyala.core.access.RulesText;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;

/** Tests directories that have nothing that decides by access rules. */
final class RightsServiceTest {
  private static final RulesText RULES = new RulesText("r", "to all\n  users may read\n");

  @Test
  void shouldOpenNoDirectoryWhoseRulesCannotBeRead() {
    try (UpdateFixture directory = new UpdateFixture()) {
      directory.access = directory.access.withRules(RULES);
      assertThatThrownBy(directory::operations)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cannot read access rules");
      directory.access = directory.access.withRules(null);
      assertThat(directory.code(UpdateFixture.modify(LEAF, UpdateFixture.change(2, "description"))))
          .isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldKeepTheAccessOfBeforeIfRulesCannotBeRead() {
    try (UpdateFixture directory = new UpdateFixture()) {
      assertThatThrownBy(
              () ->
                  directory
                      .operations()
                      .reconfigure(
                          directory.access.withRules(RULES), directory.limits, RootAccounts.NONE))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(directory.code(UpdateFixture.modify(LEAF, UpdateFixture.change(2, "description"))))
          .isEqualTo(ResultCode.SUCCESS);
    }
  }
}
