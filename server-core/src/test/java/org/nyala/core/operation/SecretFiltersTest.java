package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;

/** Filters about passwords as they are stored, by root and by others. */
final class SecretFiltersTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;
  private static final String EVE = "uid=eve," + TOP;
  private static final String ANNS = "{SSHA}Zm9vYmFy";
  private static final String BOBS = "{ARGON2}$argon2id$v=19";

  /** Filters, and those of the three that they find. */
  private static final Map<String, List<String>> FOUND =
      Map.ofEntries(
          Map.entry("(userPassword=*)", List.of(ANN, BOB)),
          Map.entry("(!(userPassword=*))", List.of(EVE)),
          Map.entry("(userPassword={SSHA}*)", List.of(ANN)),
          Map.entry("(userPassword=*bad*)", List.of()),
          Map.entry("(!(userPassword={SSHA}*))", List.of(BOB, EVE)),
          Map.entry("(userPassword=*argon2id*19)", List.of(BOB)),
          Map.entry("(userPassword=*ARGON2ID*)", List.of()),
          Map.entry("(userPassword=" + ANNS + ")", List.of(ANN)),
          Map.entry("(userPassword={ssha}Zm9vYmFy)", List.of()),
          Map.entry("(userPassword=foobar)", List.of()),
          Map.entry("(!(userPassword=foobar))", List.of(ANN, BOB, EVE)),
          Map.entry("(userPassword:octetStringMatch:=" + BOBS + ")", List.of(BOB)));

  private final OperationFixture server = new OperationFixture();

  @BeforeEach
  void give() {
    server.store(
        List.of(
            entry(TOP, "objectClass", "domain", "dc", "example"),
            person(ANN, "userPassword", ANNS),
            person(BOB, "userPassword", BOBS),
            person(EVE, "description", "none")),
        true);
    server.onThisMachine = true;
  }

  private static Entry person(String name, String attribute, String value) {
    return entry(
        name, "objectClass", "inetOrgPerson", "cn", "x", "sn", "x", "uid", "x", attribute, value);
  }

  private static FilterNode filter(String text) {
    return FilterParser.parse(text);
  }

  private List<String> found(String filter) {
    return server.run(search(TOP, Scope.ONE_LEVEL, filter(filter), "1.1")).dns.stream()
        .sorted()
        .toList();
  }

  private void assertFindsNothing() {
    for (String filter : FOUND.keySet()) {
      assertThat(found(filter)).as(filter).isEmpty();
    }
  }

  @Test
  void shouldFindStoredPasswordsForRootOnTheMachineAlone() {
    server.identity = OperationFixture.ROOT;
    FOUND.forEach((filter, names) -> assertThat(found(filter)).as(filter).isEqualTo(names));
    server.onThisMachine = false;
    assertFindsNothing();
    server.onThisMachine = true;
    server.identity = OperationFixture.USER;
    assertFindsNothing();
  }

  @Test
  void shouldAssertAndSelectByStoredPasswordsForRootOnTheMachineAlone() {
    server.identity = OperationFixture.ROOT;
    for (boolean isSafe : new boolean[] {true, false}) {
      server.onThisMachine = isSafe;
      ResultCode expected = isSafe ? ResultCode.SUCCESS : ResultCode.ASSERTION_FAILED;
      RequestControl asserts =
          new RequestControl(
              ControlType.ASSERTION.oid(),
              true,
              FilterWriter.encode(filter("(userPassword={SSHA}*)")));
      Request.Search search = search(ANN, Scope.BASE, OperationFixture.ALL, "1.1");
      assertThat(server.run(with(search, asserts)).code()).isEqualTo(expected);
      Request.Compare compare =
          new Request.Compare(1, ANN, "cn", "x".getBytes(UTF_8), List.of(asserts));
      assertThat(server.run(compare).code())
          .isEqualTo(isSafe ? ResultCode.COMPARE_TRUE : ResultCode.ASSERTION_FAILED);
    }
  }
}
