package org.nyala.netty.codec;

import java.lang.reflect.RecordComponent;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.message.Request;

/** Requests as text, with all that they have. */
final class RequestText {
  private RequestText() {}

  /** Returns the text of a request. */
  static String of(Request request) {
    return text(request);
  }

  private static String text(@Nullable Object value) {
    return switch (value) {
      case byte[] octets -> HexFormat.of().formatHex(octets);
      case List<?> list -> list.stream().map(RequestText::text).toList().toString();
      case Record record -> record(record);
      case null, default -> String.valueOf(value);
    };
  }

  private static String record(Record record) {
    StringBuilder text = new StringBuilder(record.getClass().getSimpleName()).append('(');
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      if (component.getType() == ElementBudget.class) {
        // The rest depends on the way in which the request was read.
        continue;
      }
      try {
        text.append(text(component.getAccessor().invoke(record))).append(' ');
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(e.getMessage(), e);
      }
    }
    return text.append(')').toString();
  }
}
