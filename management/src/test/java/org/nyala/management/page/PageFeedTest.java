package org.nyala.management.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the events of pages without sockets. */
class PageFeedTest {
  private final AtomicLong looks = new AtomicLong();

  private PageFeed.Sample look() {
    long number = looks.incrementAndGet();
    return new PageFeed.Sample(number, "{\"n\":" + number + "}");
  }

  private static String text(byte[] bytes) {
    assertThat(bytes).isNotNull();
    return new String(bytes, UTF_8);
  }

  private static boolean isLooking() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("nyala-page"));
  }

  @Test
  void shouldLookOnceForAllPages() throws Exception {
    try (PageFeed feed = new PageFeed(this::look)) {
      List<PageFeed.Reader> readers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        readers.add(feed.open());
      }
      assertThat(feed.count()).isEqualTo(20);
      for (PageFeed.Reader each : readers) {
        assertThat(text(each.next())).startsWith(": ....").endsWith("....\nretry: 3000\n\n");
      }
      for (int i = 0; i < 2; i++) {
        for (PageFeed.Reader each : readers) {
          assertThat(text(each.next()))
              .matches("id: (\\d+)\nevent: sample\ndata: \\{\"n\":\\1}\n\n");
        }
      }
      // Those who came late do not see what was before, and wait for the next.
      assertThat(looks.get()).isBetween(2L, 10L);
      readers.forEach(PageFeed.Reader::close);
      readers.forEach(PageFeed.Reader::close);
      assertThat(feed.count()).isZero();
    }
  }

  @Test
  void shouldLookAtNothingWhenNoPageIsOpen() throws Exception {
    try (PageFeed feed = new PageFeed(this::look)) {
      assertThat(looks.get()).isZero();
      PageFeed.Reader reader = feed.open();
      byte[] _ = reader.next();
      assertThat(text(reader.next())).contains("event: sample");
      reader.close();
      eventually("its thread ends", () -> !isLooking());
      long seen = looks.get();
      PageFeed.Reader again = feed.open();
      byte[] _ = again.next();
      assertThat(text(again.next())).contains("{\"n\":" + (seen + 1) + "}");
      again.close();
      eventually("its thread ends again", () -> !isLooking());
    }
  }

  @Test
  void shouldSayByeWhenItEnds() throws Exception {
    PageFeed feed = new PageFeed(this::look);
    PageFeed.Reader reader = feed.open();
    byte[] _ = reader.next();
    byte[] _ = reader.next();
    Thread closing = Thread.ofPlatform().start(feed::close);
    String last = "";
    for (byte[] next = reader.next(); next != null; next = reader.next()) {
      last = text(next);
    }
    assertThat(last).startsWith("event: bye\ndata: {").endsWith("}\n\n");
    reader.close();
    closing.join();
    PageFeed.Reader late = feed.open();
    assertThat(text(late.next())).startsWith(": ");
    assertThat(text(late.next())).startsWith("event: bye");
    assertThat(late.next()).isNull();
    eventually("nobody looks", () -> !isLooking());
  }

  @Test
  void shouldGoOnAfterALookThatFails() throws Exception {
    AtomicBoolean fails = new AtomicBoolean(true);
    try (PageFeed feed =
        new PageFeed(
            () -> {
              if (fails.get()) {
                throw new IllegalStateException("closed");
              }
              return look();
            })) {
      try (PageFeed.Reader reader = feed.open()) {
        byte[] _ = reader.next();
        assertThat(text(reader.next())).isEqualTo(": waiting\n\n");
        fails.set(false);
        assertThat(text(reader.next())).contains("{\"n\":1}");
      }
      eventually("nobody looks", () -> !isLooking());
    }
  }
}
