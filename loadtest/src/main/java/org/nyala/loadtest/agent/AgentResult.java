package org.nyala.loadtest.agent;

import com.google.gson.ExclusionStrategy;
import com.google.gson.FieldAttributes;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * The figures of one agent. Immutable.
 *
 * @param startedNanos the moment at which its clients began, by its own clock
 * @param reports a report of each job, without the settings after a transfer: these are known to
 *     the coordinator
 */
record AgentResult(long startedNanos, List<LoadReport> reports) {
  private static final Gson GSON =
      new GsonBuilder()
          .serializeSpecialFloatingPointValues()
          .registerTypeAdapter(Histogram.class, new Encoded().nullSafe())
          .setExclusionStrategies(new WithoutSettings())
          .create();

  /**
   * Reads the text of a message.
   *
   * @throws IOException if it has no figures of so many jobs
   */
  static AgentResult of(String text, int jobs) throws IOException {
    try {
      AgentResult result = GSON.fromJson(text, AgentResult.class);
      if (result != null && result.reports != null && result.reports.size() == jobs) {
        return result;
      }
    } catch (JsonParseException e) {
      throw new IOException("its figures cannot be read", e);
    }
    throw new IOException("its figures are not those of the test");
  }

  String text() {
    return GSON.toJson(this);
  }

  /** Histograms with all their counts, compressed (HdrHistogram's encoding V2). */
  private static final class Encoded extends TypeAdapter<Histogram> {
    @Override
    public void write(JsonWriter out, Histogram histogram) throws IOException {
      ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
      int length = histogram.encodeIntoCompressedByteBuffer(buffer);
      out.value(
          new String(
              Base64.getEncoder().encode(ByteBuffer.wrap(buffer.array(), 0, length)).array(),
              java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    @Override
    public Histogram read(JsonReader in) throws IOException {
      try {
        return Histogram.decodeFromCompressedByteBuffer(
            ByteBuffer.wrap(Base64.getDecoder().decode(in.nextString())), 0);
      } catch (DataFormatException | IllegalArgumentException e) {
        throw new JsonParseException("a histogram is damaged", e);
      }
    }
  }

  private static final class WithoutSettings implements ExclusionStrategy {
    @Override
    public boolean shouldSkipField(FieldAttributes field) {
      return field.getDeclaredClass() == LoadSettings.class;
    }

    @Override
    public boolean shouldSkipClass(Class<?> type) {
      return false;
    }
  }
}
