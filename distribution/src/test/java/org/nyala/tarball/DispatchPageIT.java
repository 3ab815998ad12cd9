package org.nyala.tarball;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Types the page about dispatch strategies beside a server. */
class DispatchPageIT extends PageTestCase {
  DispatchPageIT() throws IOException {
    super("dispatch.adoc");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    typist.type("bin/nyala sample --entries 10 -o people.ldif", "bin/nyala import people.ldif");
    typist.type("bin/nyala start");
    end();
  }
}
