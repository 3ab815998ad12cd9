package org.nyala.tarball;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Types the page about performance, with fewer people and for a second. */
class PerformancePageIT extends PageTestCase {
  PerformancePageIT() throws IOException {
    super("performance.adoc");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    replacements.put("100000", "1000");
    // It ends with 3 if other programs have disturbed it.
    replacements.put("--report out", "--seconds 1 --warmup-seconds 0 --report out || [ $? = 3 ]");
    end();
  }
}
