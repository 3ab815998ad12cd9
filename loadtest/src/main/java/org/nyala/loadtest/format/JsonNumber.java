package org.nyala.loadtest.format;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers of JSON documents (RFC 8259). Stateless. */
public final class JsonNumber {
  private static final int PLACES = 3;

  private JsonNumber() {}

  /** A number to three places; null for an infinite one or one that is not a number. */
  public static JsonElement of(double value) {
    return Double.isFinite(value)
        ? new JsonPrimitive(BigDecimal.valueOf(value).setScale(PLACES, RoundingMode.HALF_UP))
        : JsonNull.INSTANCE;
  }
}
