package org.nyala.core.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.accounts.AccountsService;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.directory.virtual.Capabilities;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.session.OperationFixture;
import org.nyala.extension.Extensions;

/** Tests access rules that come into force while another schema is being stored. */
class ComingSchemaTest {
  private static final ExtendedSchema PLAIN = ExtendedSchema.of(OperationFixture.SCHEMA);
  private static final ExtendedSchema MARKED =
      PLAIN.with(
          List.of(
              ExtendedSchema.parse(
                  DefinitionKind.ATTRIBUTE_TYPE,
                  "( 1.3.6.1.4.1.32473.77 NAME 'mark' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )")));
  private static final AccessSettings UNRULED = settings(new AccessPolicy(true));
  private static final AccessSettings OF_MARK =
      settings(
          new AccessPolicy(false)
              .withRules(new RulesText("r", "to all attributes mark\n  users may read\n")));

  private final OperationContext directory = directory(List.of(), UNRULED);

  private static OperationContext directory(List<Backend> backends, AccessSettings terms) {
    return new OperationContext(
        OperationFixture.SCHEMA,
        backends,
        terms.access(),
        terms.limits(),
        terms.roots(),
        () -> 0L,
        UpdateSettings.READ_ONLY,
        Extensions.of(List.of()),
        new Capabilities(List.of(), List.of(), Map.of()),
        new RulesService(),
        AccountsService.NONE);
  }

  private static AccessSettings settings(AccessPolicy access) {
    return new AccessSettings(access, ServerLimits.DEFAULT, RootAccounts.NONE);
  }

  private OperationContext now() {
    return directory.current();
  }

  @Test
  void shouldRefuseRulesThatDoNotFitTheComingSchema() {
    directory.by(MARKED).takeOver();
    OperationContext coming = now().by(PLAIN);
    OperationContext before = now();

    assertThatThrownBy(() -> now().reconfigure(OF_MARK))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mark");

    assertThat(now()).isSameAs(before);
    coming.takeOver();
    assertThat(now()).isSameAs(coming);
    assertThat(now().terms()).isEqualTo(UNRULED);
  }

  @Test
  void shouldRefuseSchemaThatRulesDoNotFit() {
    directory.by(MARKED).takeOver();
    now().reconfigure(OF_MARK);
    OperationContext before = now();

    assertThatThrownBy(() -> now().by(PLAIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mark");

    assertThat(now()).isSameAs(before);
  }

  @Test
  void shouldTakeOverOnTheTermsSetMeanwhile() {
    directory.by(MARKED).takeOver();
    ExtendedSchema same = PLAIN.with(MARKED.additions());
    OperationContext coming = now().by(same);
    now().reconfigure(OF_MARK);
    assertThat(now().extendedSchema()).isSameAs(MARKED);

    coming.takeOver();

    assertThat(now().extendedSchema()).isSameAs(same);
    assertThat(now().terms()).isEqualTo(OF_MARK);
  }

  @Test
  void shouldNotAskSchemaThatWasWithdrawn() {
    directory.by(MARKED).takeOver();
    OperationContext coming = now().by(PLAIN);
    coming.withdraw();

    now().reconfigure(OF_MARK);

    assertThat(now().terms()).isEqualTo(OF_MARK);
  }

  @Test
  void shouldWithdrawNoLaterSchema() {
    directory.by(MARKED).takeOver();
    OperationContext first = now().by(MARKED);
    OperationContext second = now().by(PLAIN);
    first.withdraw();

    assertThatThrownBy(() -> now().reconfigure(OF_MARK))
        .isInstanceOf(IllegalArgumentException.class);
    second.withdraw();
  }

  @Test
  void shouldRefuseSchemaByWhichRulesInTheDirectoryCannotBeRead() {
    Entry rules =
        OperationFixture.entry(
            "cn=access rules,dc=x",
            "objectClass",
            "subentry",
            "objectClass",
            "accessRuleSubentry",
            "cn",
            "access rules",
            "subtreeSpecification",
            "{}",
            "accessRule",
            "to attributes mark; users may read");
    Entry top = OperationFixture.entry("dc=x", "objectClass", "domain", "dc", "x");
    AccessSettings delegating =
        settings(
            new AccessPolicy(false)
                .withRules(new RulesText("r", "delegate subtree \"dc=x\" to directory\n")));
    try (InMemoryBackend store =
        new InMemoryBackend(
            OperationFixture.SCHEMA, List.of(top.dn()), List.of(top, rules), true)) {
      OperationContext of = directory(List.of(store), delegating);
      assertThat(of.current().control().closed()).containsOnlyKeys(top.dn());
      of.current().by(PLAIN).takeOver();
      of.current().by(MARKED).takeOver();
      assertThat(of.current().control().closed()).isEmpty();
      assertThatThrownBy(() -> of.current().by(PLAIN))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("mark");
    }
  }
}
