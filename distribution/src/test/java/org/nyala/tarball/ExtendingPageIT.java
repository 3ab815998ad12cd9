package org.nyala.tarball;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Types the page about extensions, with the compiler of the JDK that runs the test. */
class ExtendingPageIT extends PageTestCase {
  ExtendingPageIT() throws IOException {
    super("extending.adoc");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    Path tools = Path.of(System.getProperty("java.home"), "bin");
    for (String tool : new String[] {"javac", "jar"}) {
      program(tool, "exec " + tools.resolve(tool) + " \"$@\"");
    }
    end();
  }
}
