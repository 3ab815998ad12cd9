package org.nyala.netty.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorChooserFactory.EventExecutorChooser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class EventLoopChooserTest {
  private static final long SEED = Seeds.seed();
  private static final int PER_LOOP = 4;

  private final EventExecutor[] loops = {
    new DefaultEventExecutor(), new DefaultEventExecutor(), new DefaultEventExecutor()
  };
  private final EventLoopChooser choice = new EventLoopChooser(PER_LOOP);
  private final EventExecutorChooser chooser = choice.newChooser(loops);

  @AfterEach
  void stop() {
    for (EventExecutor loop : loops) {
      var _ = loop.shutdownGracefully();
    }
  }

  private List<EventExecutor> choose(int connections) {
    return IntStream.range(0, connections).mapToObj(_ -> chooser.next()).toList();
  }

  private static int count(List<EventExecutor> chosen, EventExecutor loop) {
    return Collections.frequency(chosen, loop);
  }

  @Test
  void shouldKeepFewConnectionsOnOneLoop() {
    assertThat(choose(PER_LOOP)).containsOnly(loops[0]);
    assertThat(choose(PER_LOOP)).containsOnly(loops[1]);
  }

  @Test
  void shouldSpreadManyEvenly() {
    List<EventExecutor> chosen = choose(300);
    for (EventExecutor loop : loops) {
      assertThat(count(chosen, loop)).isEqualTo(100);
    }
  }

  @Test
  void shouldFillUpWhatHasBecomeEmpty() {
    List<EventExecutor> chosen = choose(300);
    for (int i = 0; i < count(chosen, loops[1]); i++) {
      choice.left(loops[1]);
    }
    assertThat(choose(100)).containsOnly(loops[1]);
    for (EventExecutor loop : loops) {
      for (int i = 0; i < 100; i++) {
        choice.left(loop);
      }
    }
    assertThat(chooser.next()).isSameAs(loops[0]);
  }

  /**
   * At any sequence of opened and closed connections, a new one gets a loop with the fewest of
   * those in use.
   */
  @Test
  void shouldAlwaysChooseTheFewest() {
    Random random = new Random(SEED);
    List<EventExecutor> open = new ArrayList<>();
    for (int step = 0; step < 5000; step++) {
      if (open.isEmpty() || random.nextInt(100) < 52) {
        int inUse = Math.min(loops.length, open.size() / PER_LOOP + 1);
        int fewest =
            IntStream.range(0, inUse).map(loop -> count(open, loops[loop])).min().orElseThrow();
        EventExecutor chosen = chooser.next();
        assertThat(List.of(loops).subList(0, inUse)).as("seed %d", SEED).contains(chosen);
        assertThat(count(open, chosen)).as("seed %d, step %d", SEED, step).isEqualTo(fewest);
        open.add(chosen);
      } else {
        choice.left(open.remove(random.nextInt(open.size())));
      }
    }
  }
}
