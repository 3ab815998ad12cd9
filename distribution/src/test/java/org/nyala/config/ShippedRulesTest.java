package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.check.RulesCheck;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.error.Installation;

/** Checks the example of access rules that is shipped. */
class ShippedRulesTest {
  private static final Path SHIPPED = Path.of("src/packaging/conf/access.rules");

  @Test
  void shouldBeRulesOfWhichEachIsAsked() throws IOException {
    AccessRules rules =
        AccessRulesFile.parse(AccessRulesFile.read(SHIPPED), Installation.current().schema());

    assertThat(rules.steps()).hasSizeGreaterThan(8);
    assertThat(RulesCheck.unreached(rules)).isEmpty();
  }

  @Test
  void shouldNotBeInForceAsShipped() throws IOException {
    Path configuration = SHIPPED.resolveSibling("nyala.conf");

    assertThat(ConfigurationFile.read(configuration, Path.of("")).accessRules()).isEmpty();
    assertThat(Files.readString(configuration)).contains("    # rules = \"conf/access.rules\"\n");
  }
}
