package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;

class JsonNumberTest {
  @Test
  void shouldWriteThreePlacesAndNullForWhatIsNoNumber() {
    JsonObject json = new JsonObject();
    json.add("half", JsonNumber.of(0.0005));
    json.add("whole", JsonNumber.of(1e12));
    json.add("none", JsonNumber.of(Double.NaN));
    json.add("endless", JsonNumber.of(Double.POSITIVE_INFINITY));

    assertThat(json)
        .hasToString("{\"half\":0.001,\"whole\":1000000000000.000,\"none\":null,\"endless\":null}");
  }
}
