package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.limited;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests that the rights to many attributes of one entry are told in slices. */
final class EffectiveRightsSlicesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final int NAMED = 1000;
  private static final String RULES =
      """
      to attributes title
        self may write
      to all
        users may read
      """;

  private final OperationFixture server = new OperationFixture();

  @BeforeEach
  void store() {
    server.store(
        List.of(
            entry(TOP, "objectClass", "domain", "dc", "example"),
            entry(ANN, "objectClass", "inetOrgPerson", "uid", "ann", "cn", "a", "sn", "b")),
        true);
    server.rights = new RulesService();
    server.access = new AccessPolicy(false).withRules(new RulesText("access.rules", RULES));
    server.identity = OperationFixture.ROOT;
    server.nanosPerLook = 1;
  }

  /** Returns a search that names different attributes, and each of them several times. */
  private static Request.Search asking(int names, int times) {
    return asking(search(TOP, Scope.SUBTREE, ALL), names, times);
  }

  private static Request.Search asking(Request.Search search, int names, int times) {
    BerWriter list = new BerWriter();
    for (int i = 0; i < names * times; i++) {
      list.text("title;lang-x" + i % names);
    }
    BerWriter value = new BerWriter().text("dn:" + ANN).sequence(list);
    byte[] encoded = new BerWriter().sequence(value).toByteArray();
    RequestControl control = new RequestControl(ControlType.EFFECTIVE_RIGHTS.oid(), true, encoded);
    return with(search, control);
  }

  private static List<String> told(Map<String, List<String>> entry) {
    return List.of(entry.get("attributeLevelRights").getFirst().split(", "));
  }

  @Test
  void shouldTellTheSameInSlicesAsAtOnce() {
    RecordingSink whole = server.run(asking(NAMED, 1));
    assertThat(whole.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(told(whole.attributes.get(1)))
        .hasSizeGreaterThan(NAMED)
        .contains("title;lang-x0:wo", "title;lang-x999:wo")
        .doesNotHaveDuplicates();
    assertThat(told(whole.attributes.get(0))).contains("title;lang-x0:none");
    int slices = server.slices;

    server.budget = new SliceBudget(1 << 20, 4);
    RecordingSink sliced = server.run(asking(NAMED, 1));
    assertThat(sliced.attributes).isEqualTo(whole.attributes);
    assertThat(server.slices).isGreaterThan(slices + 10);
  }

  @Test
  void shouldLookAtANameOnceHoweverOftenItComes() {
    RecordingSink once = server.run(asking(3, 1));
    RecordingSink often = server.run(asking(3, 300));
    assertThat(often.attributes).isEqualTo(once.attributes);
  }

  @Test
  void shouldEndWhileTheRightsToOneEntryAreTold() {
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    SliceBudget brief = new SliceBudget(1 << 20, 4);
    Operation abandoned = server.operation(asking(NAMED, 1), sink);
    for (int i = 0; i < 5; i++) {
      assertThat(abandoned.run(brief)).isEqualTo(Outcome.YIELDED);
    }
    abandoned.abandon();
    assertThat(abandoned.run(brief)).isEqualTo(Outcome.DONE);
    assertThat(sink.results).isEmpty();

    server.nanosPerLook = 50_000_000;
    server.budget = new SliceBudget(1 << 20, 100_000_000);
    RecordingSink late =
        server.run(asking(limited(search(TOP, Scope.SUBTREE, ALL), 0, 1), NAMED, 1));
    assertThat(late.code()).isEqualTo(ResultCode.TIME_LIMIT_EXCEEDED);
    assertThat(late.dns).isEmpty();
  }
}
