package org.nyala.cluster.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.cluster.raft.RaftException;
import org.nyala.core.Patience;

/** Servers that differ from a cluster in one property each, whatever properties there are. */
final class SuitabilityTest {
  private static final Suitability MEMBERS =
      new Suitability(
          2,
          "12",
          7,
          "a".repeat(64),
          List.of("dc=a", "dc=b"),
          List.of("accounts", "constraint 1.0"));

  @BeforeAll
  static void shouldNotLogWhatIsMeantToHappen() {
    Logger.getLogger("org.nyala").setLevel(Level.OFF);
  }

  static Stream<RecordComponent> properties() {
    return Arrays.stream(Suitability.class.getRecordComponents());
  }

  /** Returns another value of a property, and a part of the sentence about it. */
  private static List<Object> other(RecordComponent property) {
    return switch (property.getName()) {
      case "entryForm" ->
          List.of(3, "it writes entries of form 3, and the cluster those of form 2");
      case "storeFormat" ->
          List.of("13", "its store has the format 13, and those of the members the format 12");
      case "serverId" -> List.of(8, "its serverId is 8, and that of the members is 7");
      case "schema" ->
          List.of("b".repeat(64), "the digests are bbbbbbbbbbbbbbbb and aaaaaaaaaaaaaaaa");
      case "namingContexts" ->
          List.of(
              List.of("dc=a"),
              "its naming contexts are [dc=a], and those of the members are [dc=a, dc=b]");
      case "extensions" ->
          List.of(
              List.of("accounts", "constraint 1.1"),
              "its extension constraint has the version '1.1', and that of the members the version"
                  + " '1.0'");
      default -> throw new AssertionError("a case is missing for the property " + property);
    };
  }

  private static Suitability with(RecordComponent changed, Object value) throws Exception {
    List<Class<?>> types = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (RecordComponent each : properties().toList()) {
      types.add(each.getType());
      values.add(
          each.getName().equals(changed.getName()) ? value : each.getAccessor().invoke(MEMBERS));
    }
    Constructor<Suitability> all =
        Suitability.class.getDeclaredConstructor(types.toArray(Class<?>[]::new));
    return all.newInstance(values.toArray());
  }

  @ParameterizedTest
  @MethodSource("properties")
  void shouldTellEachDifference(RecordComponent property) throws Exception {
    Suitability server = with(property, other(property).getFirst());
    assertThat(server.differenceFrom(MEMBERS)).contains((String) other(property).getLast());
    assertThat(MEMBERS.differenceFrom(server)).isNotNull();
    // It goes over the wire whole, so that the member which is asked tells the same.
    assertThat(Suitability.read(ByteBuffer.wrap(server.bytes()))).isEqualTo(server);
    assertThatThrownBy(() -> ask(server)).hasMessageContaining((String) other(property).getLast());
  }

  /** The same server is admitted, and no later property is hidden by one that is the same. */
  @Test
  void shouldAdmitTheSame() throws Exception {
    assertThat(MEMBERS.differenceFrom(MEMBERS)).isNull();
    assertThat(Suitability.read(ByteBuffer.wrap(MEMBERS.bytes()))).isEqualTo(MEMBERS);
    ask(MEMBERS);
  }

  @Test
  void shouldTellExtensionsThatOneOfThemLacks() throws Exception {
    RecordComponent extensions =
        properties().filter(each -> each.getName().equals("extensions")).findFirst().orElseThrow();
    assertThat(with(extensions, List.of("accounts")).differenceFrom(MEMBERS))
        .isEqualTo(
            "its extensions are [accounts], and those of the members are"
                + " [accounts, constraint 1.0]");
    assertThat(with(extensions, List.of("accounts", "constraint")).differenceFrom(MEMBERS))
        .isEqualTo(
            "its extension constraint has the version '', and that of the members the version"
                + " '1.0'");
    assertThat(with(extensions, List.of("accounts", "con 1.0")).differenceFrom(MEMBERS))
        .startsWith("its extensions are [accounts, con 1.0]");
  }

  private static void ask(Suitability server) throws Exception {
    try (AdmissionService service = admission()) {
      answer(service, AdmissionService.ask(server));
    }
  }

  private static AdmissionService admission() {
    return new AdmissionService(
        () -> {
          throw new IllegalStateException("nobody is added");
        },
        () -> MEMBERS,
        (_, _) -> null);
  }

  private static void answer(AdmissionService service, ByteBuffer request) throws Exception {
    try {
      service.answer(request).toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @ParameterizedTest
  @MethodSource("properties")
  void shouldNoteEachDifferenceThatAMemberHasSince(RecordComponent property) throws Exception {
    Suitability server = with(property, other(property).getFirst());
    FitCheck check = new FitCheck();
    try (AdmissionService service = admission()) {
      Peer peer = (kind, request, time) -> service.answer(request);
      check.look(UUID.randomUUID(), peer, () -> server);
      Patience.eventually("it is noted", () -> check.difference() != null);
      assertThat(check.difference()).contains((String) other(property).getLast());
    }
  }

  /** The next leader may have what this member has. */
  @Test
  void shouldForgetADifferenceThatTheNextLeaderDoesNotSee() throws Exception {
    Suitability different =
        with(
            Suitability.class.getRecordComponents()[0],
            other(Suitability.class.getRecordComponents()[0]).getFirst());
    FitCheck check = new FitCheck();
    try (AdmissionService former = admission()) {
      Peer peer = (kind, request, time) -> former.answer(request);
      check.look(UUID.randomUUID(), peer, () -> different);
      Patience.eventually("it is noted", () -> check.difference() != null);
    }
    UUID next = UUID.randomUUID();
    Peer agreeing =
        (kind, request, time) -> CompletableFuture.completedFuture(ByteBuffer.allocate(0));
    Patience.eventually(
        "it is forgotten",
        () -> {
          check.look(next, agreeing, () -> different);
          return check.difference() == null;
        });
  }

  /** A leader that does not answer, or cannot say, has told no difference, and is asked again. */
  @Test
  void shouldAskAgainAfterWhateverIsNoAnswer() {
    List<Exception> failures =
        List.of(
            new RaftException("The member admits others at this moment: try again later."),
            new java.net.ConnectException("The leader is not among the members that are known."),
            new IllegalStateException("the directory is not open"));
    AtomicInteger asked = new AtomicInteger();
    Peer peer =
        (kind, request, time) -> {
          int now = asked.getAndIncrement();
          return now < failures.size()
              ? CompletableFuture.failedFuture(failures.get(now))
              : CompletableFuture.completedFuture(ByteBuffer.allocate(0));
        };
    FitCheck check = new FitCheck();
    UUID leader = UUID.randomUUID();
    Patience.eventually(
        "it is asked until it answers",
        () -> {
          check.look(leader, peer, () -> MEMBERS);
          assertThat(check.difference()).isNull();
          return asked.get() > failures.size();
        });
    // It has answered: another look asks nothing, however late it comes.
    long until = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
    Patience.eventually(
        "some time has gone",
        () -> {
          check.look(leader, peer, () -> MEMBERS);
          return System.nanoTime() - until > 0;
        });
    assertThat(asked).hasValue(failures.size() + 1);
  }
}
