package org.nyala.core.operation.list;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;

/** Tests that a digest tells searches apart, and that a long filter takes several slices. */
final class SearchDigestTest {
  private static final byte[] VALUE = "value".getBytes(UTF_8);

  private static Request.Search asking(FilterNode filter) {
    return search("dc=example,dc=com", Scope.SUBTREE, filter);
  }

  private static String digest(FilterNode filter, Pace pace, int mostSlices) {
    SearchDigest digest = SearchDigest.begin(asking(filter), Dn.EMPTY, BoundIdentity.ANONYMOUS);
    byte @Nullable [] whole = digest.go(pace);
    for (int slices = 1; whole == null && slices < mostSlices; slices++) {
      whole = digest.go(pace);
    }
    assertThat(whole).as("digest after %d slices", mostSlices).isNotNull();
    return HexFormat.of().formatHex(whole);
  }

  private static FilterNode equal(String attribute, byte[] value) {
    return new FilterNode.Equality(attribute, value);
  }

  @Test
  void shouldBeTheSameWhereverSlicesEnd() {
    List<FilterNode> parts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      parts.add(new FilterNode.Not(equal("cn", new byte[SearchDigest.INTERVAL / 4 + i])));
    }
    FilterNode filter = new FilterNode.And(List.of(new FilterNode.Or(parts), equal("a", VALUE)));
    String whole = digest(filter, Pace.UNBOUNDED, 1);
    assertThat(digest(filter, () -> false, 20)).isEqualTo(whole);
    int[] looks = {0};
    assertThat(digest(filter, () -> ++looks[0] % 3 != 0, 20)).isEqualTo(whole);
    assertThat(looks[0]).isBetween(8, 12);
  }

  /** A search may have more to do before it begins, in slices of their own. */
  @Test
  void shouldBeTheSameWhenAskedForAgain() {
    SearchDigest digest =
        SearchDigest.begin(asking(equal("cn", VALUE)), Dn.EMPTY, BoundIdentity.ANONYMOUS);
    assertThat(digest.go(Pace.UNBOUNDED)).isEqualTo(digest.go(Pace.UNBOUNDED)).hasSize(32);
    assertThat(HexFormat.of().formatHex(digest.go(Pace.UNBOUNDED)))
        .isEqualTo(digest(equal("cn", VALUE), Pace.UNBOUNDED, 1));
  }

  @Test
  void shouldTellFiltersApartWhoseItemsAreTheSame() {
    FilterNode a = equal("a", VALUE);
    FilterNode b = equal("b", VALUE);
    List<FilterNode> filters =
        List.of(
            a,
            b,
            new FilterNode.GreaterOrEqual("a", VALUE),
            new FilterNode.LessOrEqual("a", VALUE),
            new FilterNode.Approximate("a", VALUE),
            new FilterNode.Present("a"),
            new FilterNode.Not(a),
            new FilterNode.And(List.of(a, b)),
            new FilterNode.Or(List.of(a, b)),
            new FilterNode.Or(List.of(b, a)),
            new FilterNode.And(List.of(new FilterNode.And(List.of(a)), b)),
            new FilterNode.And(List.of(new FilterNode.And(List.of(a, b)))),
            new FilterNode.Substrings("a", VALUE, List.of(), null),
            new FilterNode.Substrings("a", null, List.of(VALUE), null),
            new FilterNode.Substrings("a", null, List.of(), VALUE));
    assertThat(filters)
        .extracting(filter -> digest(filter, Pace.UNBOUNDED, 1))
        .doesNotHaveDuplicates();
  }
}
