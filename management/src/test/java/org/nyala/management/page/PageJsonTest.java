package org.nyala.management.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the JSON of the page. */
class PageJsonTest {
  @Test
  void shouldSeparateNamesAndValues() {
    PageJson json =
        new PageJson()
            .object()
            .with("a", 1)
            .with("b", 0.12345)
            .with("c", true)
            .with("d", "x")
            .nothing("e")
            .list("f")
            .item(1)
            .item("y")
            .object()
            .endObject()
            .endList()
            .object("g")
            .endObject()
            .list("h")
            .endList()
            .with("i", Double.NaN)
            .with("j", 1e18)
            .with("k", -2.5)
            .endObject();
    assertThat(json)
        .hasToString(
            "{\"a\":1,\"b\":0.123,\"c\":true,\"d\":\"x\",\"e\":null,\"f\":[1,\"y\",{}],\"g\":{},"
                + "\"h\":[],\"i\":null,\"j\":1000000000000000000,\"k\":-2.5}");
  }

  @Test
  void shouldHaveNothingThatCouldBeMarkup() {
    String text = "</script><!--&'\"\\\n\r\t\u0000\u001f\u007f\u0085\u2028\u2029\u202e ]]>{[:,";
    String json = new PageJson().object().with("a", text).with("b", text).endObject().toString();
    assertThat(json).doesNotContain("<", ">", "&", "'").matches("\\p{Print}*");
    assertThat(FlatJson.read(json)).containsEntry("a", text).containsEntry("b", text);
  }

  @Test
  void shouldCutLongTexts() {
    String json = new PageJson().object().with("a", "x".repeat(100_000)).endObject().toString();
    assertThat(json).hasSizeLessThan(2000).endsWith("xxx...\"}");
  }
}
