package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.cli.running.TopSample.Rate;
import org.nyala.cli.running.TopSample.Row;
import org.nyala.management.bean.ConnectionsMXBean.Connection;
import org.nyala.management.bean.OperationsMXBean.Kind;
import org.nyala.management.bean.OperationsMXBean.Running;
import org.nyala.management.bean.OperationsMXBean.Times;

class TopScreenTest {
  private static final String STRANGE = "\u001b]0;x\u0007\r\n\u2028\ud83d\ude00\ud800é";
  private static final Times TIMES = new Times(1, 1, 1, 1, 1, 1);
  private static final LivePart NOTHING = LivePart.of("{\"store\":null,\"certificates\":null}");

  /** Returns what the page shows, with a text of somebody else in each part. */
  private static LivePart live(String name) {
    String text = new JsonPrimitive(name).toString();
    return LivePart.of(
        """
        {"server":{"pid":7,"listeners":[NAME],"namingContexts":[NAME],"processors":2,
          "heapUsedBytes":1048576,"heapMaximumBytes":1073741824,"processorPercent":35.4},
        "operations":{"windowSeconds":9.8,"medianMicros":120,"percentile99Micros":3400,"phases":[
          {"phase":"admission","doing":NAME,"perSecond":1,"medianMicros":1,"percentile99Micros":20},
          {"phase":"queue","doing":NAME,"perSecond":1,"medianMicros":1,"percentile99Micros":null},
          {"phase":"commit","doing":NAME,"perSecond":1,"medianMicros":1,"percentile99Micros":5000}]},
        "dispatch":{"strategy":"adaptive","workers":3,"switches":0},
        "connections":{"refused":0,"stalled":0},
        "followers":[FOLLOWER,FOLLOWER],"followersCount":30,
        "slow":{"leastMillis":100,"requests":[{"client":NAME,"operation":"search","shape":NAME,
          "count":1,"longestMillis":2,"totalMillis":3}],
          "clients":[{"client":NAME,"count":1,"longestMillis":2,"totalMillis":3}]},
        "store":{"entries":5,"usedBytes":1,"maximumBytes":2,"diskFreeBytes":5368709120,
          "diskBytes":10737418240,"readers":[{"process":7,"own":false,"command":NAME}],
          "indexes":[NAME],"indexWork":[NAME]},
        "certificates":{"days":12,"endMillis":1,"subject":NAME,"failure":""},
        "jobs":[{"number":1,"work":NAME,"state":"running","startMillis":1,"done":1,"total":2,
          "message":NAME}],
        "copies":[{"suffix":NAME,"provider":NAME,"phase":"following","lagSeconds":61,"ready":true,
          "guarded":3,"error":NAME}],
        "epochs":[{"suffix":NAME,"epoch":2,"writer":1,"superseded":true,"remedy":NAME}],
        "cluster":{"role":"leader","leader":NAME,"term":"4","log":NAME,"members":[
          {"text":NAME,"lag":null},{"text":NAME,"lag":3},{"text":NAME,"lag":0}]},
        "extensions":[{"name":"cluster","state":[{"name":"role","text":NAME}]}],
        "findingsSeconds":1,"findings":[{"weight":"fault","area":"disk","sentence":NAME,
          "command":NAME}],
        "accounts":{"lockedSinceStart":9,"locked":[NAME,NAME,NAME,NAME,NAME,NAME],"more":false,
          "complete":true,"seconds":3},
        "notices":[{"timeMillis":1,"kind":"strategy","over":true,"message":NAME}]}
        """
            .replace(
                "FOLLOWER",
                "{\"connection\":1,\"messageId\":2,\"operation\":\"search\",\"identity\":NAME,"
                    + "\"request\":NAME,\"seconds\":7200}")
            .replace("NAME", text));
  }

  private static TopSample sample(int connections, String name, LivePart live) {
    return new TopSample(
        "nyala " + name,
        "/data" + name,
        "adaptive",
        IntStream.range(0, 9).mapToObj(i -> "alarm " + i + name).toList(),
        Map.of(),
        IntStream.range(0, 10)
            .mapToObj(
                i -> new Rate(new Kind("kind" + i, i, i, Map.of(), TIMES, TIMES, Map.of()), i, i))
            .toList(),
        IntStream.range(0, connections)
            .mapToObj(
                i ->
                    new Row(
                        new Connection(
                            i,
                            "192.0.2.1:" + i,
                            "l",
                            name,
                            i,
                            i % 3,
                            i % 5,
                            i,
                            i,
                            99 - i,
                            true,
                            false),
                        i * 10.0))
            .toList(),
        IntStream.range(0, connections)
            .mapToObj(i -> new Running(i, i, "search", "", name, 1_000L - i, false))
            .toList(),
        live,
        Map.of(),
        1,
        Map.of());
  }

  private static TopSample sample(int connections) {
    return sample(connections, STRANGE, live(STRANGE));
  }

  @Test
  void shouldFitEveryScreenAndObeyNobody() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String keys = "cofpwlnmyudbvxsrjk x\u001b";
    List<TopSample> samples = List.of(sample(50), sample(0, STRANGE, NOTHING));
    TopScreen form = TopScreen.FIRST;
    for (int i = 0; i < 5_000; i++) {
      int width = 1 + random.nextInt(250);
      int height = 1 + random.nextInt(80);
      form = form.after(keys.charAt(random.nextInt(keys.length())));
      List<String> lines = form.lines(samples.get(i % 2), width, height);
      assertThat(lines).as("seed %d, %d × %d", seed, width, height).hasSize(height);
      for (String line : lines) {
        assertThat(line.codePointCount(0, line.length()))
            .as("seed %d", seed)
            .isLessThanOrEqualTo(width);
        assertThat(line).doesNotContain("\n", "\r", "\u001b", "\u0007", "\u2028", "\ud800é");
      }
    }
  }

  @Test
  void shouldShowTheGreatestFirstFromEachRowOn() {
    TopSample sample = sample(50);
    TopScreen form = TopScreen.FIRST;
    assertThat(form.sorted(sample).getFirst().whole().number()).isEqualTo(49);
    assertThat(form.after('r').sorted(sample).getFirst().whole().number()).isZero();
    assertThat(form.after('s').sorted(sample).getFirst().whole().executing()).isEqualTo(2);
    assertThat(form.text(sample, 120, 30)).anyMatch(line -> line.startsWith("      49      490"));
    List<String> further = form.after('j').text(sample, 120, 30);
    assertThat(further).noneMatch(line -> line.startsWith("      49 "));
    assertThat(further).anyMatch(line -> line.startsWith("      39 "));
    assertThat(form.after('j').after('k')).isEqualTo(form);
    assertThat(form.after('k')).isEqualTo(form);
    assertThat(form.after(' ').lines(sample, 200, 30).getLast()).contains("(paused)");
    assertThat(form.after('o').text(sample, 120, 30))
        .anyMatch(line -> line.startsWith("       0        0      1,000  search"));
    assertThat(form.after('o').after('r').text(sample, 120, 1))
        .contains("running operations, the shortest first: 1 to 1 of 50")
        .last()
        .asString()
        .startsWith("      49       49        951  search");
  }

  @Test
  void shouldHaveTheFiguresOfTheLivePage() {
    assertThat(TopScreen.FIRST.text(sample(3, "x", live("CN=x")), 120, 3))
        .contains(
            "latency ms   p50 0.12, p99 3.40; p99 of waits: permit 0.02, thread -, disk 5.00",
            "disk         5.0 GiB free of 10.0 GiB",
            "certificates the first ends in 12 d (CN=x)",
            "accounts     6 locked; 9 were since the start",
            "cluster      leader of term 4, 3 members, the furthest 3 entries behind",
            "copies       1 of 1 ready, the furthest 1m behind",
            "processor    35 % of one of 2; heap 1.0 MiB of 1.0 GiB; for clients 0.0 MiB")
        .anyMatch(line -> line.endsWith(", 30 followers"));
    assertThat(TopScreen.FIRST.text(sample(3, "x", NOTHING), 120, 3))
        .contains(
            "latency ms   p50 -, p99 -; p99 of waits: permit -, thread -, disk -",
            "disk         not known",
            "accounts     the locked ones are being looked for")
        .noneMatch(line -> line.matches("(certificates|cluster|copies) .*"));
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveAKeyAndRoomForEachListOnASmallTerminal(TopList list) {
    TopSample sample = sample(50, "x", live("name"));
    TopScreen form = TopScreen.FIRST.after(list.key());
    assertThat(form.list()).isEqualTo(list);
    List<String> lines = form.lines(sample, 80, 24);
    Listing listing = TopListing.of(form, sample);
    assertThat(listing.size()).isPositive();
    assertThat(lines)
        .containsSubsequence(
            listing.rows(0, TopScreen.LEAST_ROWS).stream()
                .map(row -> row.substring(0, Math.min(80, row.length())))
                .toList())
        .anyMatch(line -> line.startsWith("alarms       alarm 0"))
        .anyMatch(line -> line.startsWith("accounts     6 locked"));
    assertThat(String.join("  ", lines.subList(21, 24)))
        .contains(list.key() + " " + list, "q ends", "space pauses");
    assertThat(form.lines(sample, 60, 12).getLast()).contains(String.valueOf(list.key()));
    assertThat(form.after('r').text(sample, 200, 50).getLast())
        .isEqualTo(listing.rows(0, 1).getFirst());
  }
}
