package org.nyala.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;

class SlowRequestsTest {
  private static final int MOST = 256;
  private static final Instant NOW = Instant.parse("2026-11-29T05:00:00Z");

  private final SlowRequests slow = new SlowRequests(() -> NOW);

  private static FilterNode equal(String attribute, String value) {
    return new FilterNode.Equality(attribute, value.getBytes(UTF_8));
  }

  private static String shape(FilterNode filter) {
    return RequestShape.of(
        new Request.Search(
            1,
            "dc=secret",
            Scope.SUBTREE,
            DerefAliases.NEVER,
            0,
            0,
            false,
            filter,
            List.of(),
            List.of()),
        MOST);
  }

  @Test
  void takesValuesOutOfFilters() {
    byte[] value = "geheim".getBytes(UTF_8);
    FilterNode all =
        new FilterNode.And(
            List.of(
                equal("UID", "geheim"),
                new FilterNode.Or(
                    List.of(equal("cn", "a"), equal("CN", "b"), new FilterNode.Present("sn"))),
                new FilterNode.Not(
                    new FilterNode.Substrings("mail", value, List.of(value, value), null)),
                new FilterNode.GreaterOrEqual("age", value),
                new FilterNode.LessOrEqual("age", value),
                new FilterNode.Approximate("cn", value),
                new FilterNode.Extensible("2.4.8", "ou", value, true),
                new FilterNode.Extensible("2.4.8", null, value, false)));
    assertThat(shape(all))
        .isEqualTo(
            "sub (&(uid=?)(|(cn=?)...(sn=*))(!(mail=?*?*))(age>=?)(age<=?)(cn~=?)"
                + "(ou:dn:2.4.8:=?)(:2.4.8:=?))");
  }

  @Test
  void writesPartsThatLookTheSameOnce() {
    String few = shape(new FilterNode.Or(List.of(equal("uid", "a"), equal("uid", "b"))));
    assertThat(few).endsWith("(|(uid=?)...)");
    assertThat(shape(new FilterNode.Or(Collections.nCopies(1000, equal("uid", "c")))))
        .isEqualTo(few);
    List<FilterNode> different =
        IntStream.range(0, 1000)
            .mapToObj(i -> equal("a" + i, "b"))
            .map(FilterNode.class::cast)
            .toList();
    assertThat(shape(new FilterNode.And(different))).hasSize(MOST).endsWith("...");
    assertThat(shape(equal("a".repeat(9000), "b"))).hasSize(MOST);
  }

  @Test
  void sumsUpByClientOperationAndShape() {
    slow.add("cn=a", OperationType.SEARCH, "(uid=?)", 3_000_000);
    slow.add("cn=a", OperationType.SEARCH, "(uid=?)", 9_000_000);
    slow.add("cn=b", OperationType.SEARCH, "(uid=?)", 50_000_000);
    slow.add("cn=a", OperationType.BIND, "simple", 1_000_000);
    assertThat(slow.rows())
        .containsExactly(
            new SlowRequests.Row("cn=b", "search", "(uid=?)", 1, 50_000_000, 50_000_000, NOW),
            new SlowRequests.Row("cn=a", "search", "(uid=?)", 2, 9_000_000, 12_000_000, NOW),
            new SlowRequests.Row("cn=a", "bind", "simple", 1, 1_000_000, 1_000_000, NOW));
    slow.clear();
    assertThat(slow.rows()).isEmpty();
  }

  @Test
  void hasOneRowForTheFurtherShapesOfAClient() {
    for (int i = 0; i < 1000; i++) {
      slow.add("cn=a", OperationType.SEARCH, "(a" + i + "=?)", 1);
    }
    slow.add("cn=a", OperationType.SEARCH, "(a0=?)", 1);
    assertThat(slow.rows()).hasSize(SlowRequests.MOST_SHAPES + 1);
    assertThat(slow.rows().getFirst().shape()).isEqualTo(SlowRequests.FURTHER);
    assertThat(slow.rows().getFirst().count()).isEqualTo(1000 - SlowRequests.MOST_SHAPES);
    assertThat(slow.rows().get(1).count()).isEqualTo(2);
  }

  @Test
  void dropsTheRowsOfLeastTime() {
    slow.add("cn=heavy", OperationType.SEARCH, "(uid=?)", 1_000_000);
    for (int i = 0; i < 5000; i++) {
      slow.add("cn=" + i, OperationType.SEARCH, "(uid=?)", i + 1);
    }
    assertThat(slow.rows()).hasSize(SlowRequests.MOST_ROWS);
    assertThat(slow.rows().getFirst().client()).isEqualTo("cn=heavy");
    assertThat(slow.rows().get(1).client()).isEqualTo("cn=4999");
    assertThat(slow.dropped()).isEqualTo(5001 - SlowRequests.MOST_ROWS);
  }
}
