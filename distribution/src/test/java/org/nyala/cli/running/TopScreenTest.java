package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.cli.running.TopSample.Row;
import org.nyala.management.bean.ConnectionsMXBean.Connection;
import org.nyala.management.bean.OperationsMXBean.Running;

class TopScreenTest {
  private static final String STRANGE = "\u001b]0;x\u0007\r\n\u2028\ud83d\ude00\ud800é";

  private static TopSample sample(int connections) {
    return new TopSample(
        "nyala " + STRANGE,
        "/data" + STRANGE,
        "adaptive",
        IntStream.range(0, 9).mapToObj(i -> "alarm " + i + STRANGE).toList(),
        Map.of(),
        List.of(),
        IntStream.range(0, connections)
            .mapToObj(
                i ->
                    new Row(
                        new Connection(
                            i,
                            "192.0.2.1:" + i,
                            "l",
                            STRANGE,
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
            .mapToObj(i -> new Running(i, i, "search", "", STRANGE, 1_000L - i))
            .toList(),
        List.of(),
        Map.of(),
        1,
        Map.of());
  }

  @Test
  void shouldFitEveryScreenAndObeyNobody() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    TopSample sample = sample(50);
    TopScreen form = TopScreen.FIRST;
    for (int i = 0; i < 3_000; i++) {
      int width = 1 + random.nextInt(150);
      int height = 1 + random.nextInt(60);
      form = form.after("cosrjk x\u001b".charAt(random.nextInt(9)));
      List<String> lines = form.lines(sample, width, height);
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
  }
}
