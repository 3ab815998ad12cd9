package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Types the experiment of the page about other servers, with the server that the page shows. */
class OtherServersPageIT extends PageTestCase {
  /** The commands of Python that succeed once both servers listen. */
  private static final String LISTENING =
      "python3 -c 'import socket; [socket.create_connection((\"127.0.0.1\", p)) for p in (7389, 7390)]'";

  OtherServersPageIT() throws IOException {
    super("other-servers.adoc");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    Path result = folder.resolve("stalled.json");
    // A program in the folder of the test ends with it.
    replacements.put("python3 stub.py", "python3 " + home + "/stub.py");
    replacements.put("empty &", "empty & until " + LISTENING + " 2>/dev/null; do :; done");
    replacements.put("--seconds 20", "--seconds 10 --allow-disturbed --json " + result);
    end();
    JsonObject corrected =
        JsonParser.parseString(Files.readString(result))
            .getAsJsonObject()
            .getAsJsonObject("latencyMicros")
            .getAsJsonObject("corrected");
    // A silence of a second in five makes a fifth wait: 90 % within half of it, 99 % within 0.95.
    assertThat(corrected.get("p90").getAsDouble()).isBetween(0.35e6, 0.7e6);
    assertThat(corrected.get("p99").getAsDouble()).isBetween(0.85e6, 1.1e6);
  }
}
