#pragma once

#include "ui/wall/wall_scene.h"

class QPainter;

namespace dailies::ui {

/// The pieces of the wall, painted in the current theme. Rectangles are device-independent pixels.

/// What is said over pictures.
enum class Hud { Everything, Brief, Nothing };

/// How tiles show what their clips were made from: in small pictures, or the drawings over the clip.
enum class InputView { Hidden, Beside, Over };

/// How much of a clip is here, and why it is not all, for a person: "Fetching 3.1 of 12 MB". Empty when it is
/// whole, or was not looked at yet.
QString absenceText(const ClipPlayer& player, const std::string& file);

/// How high headers of that width are in which these columns' names are whole, or as whole as a few lines let
/// them be.
int headerHeight(const std::vector<WallScene::Heading>& columns, int width);
/// A column's name, run colour, status and metric; `prompt` is added for a tile that is shown alone.
void paintHeader(QPainter& painter, const QRect& rect, const WallScene::Heading& column,
                 const QString& prompt);
/// A row's name, and below it what is to be said of it.
void paintLabel(QPainter& painter, const QRect& rect, const WallScene::Heading& row);
/// An icon and a few lines in the middle of a tile that has no picture.
void paintNote(QPainter& painter, const QRect& rect, const QString& iconName, const QString& text,
               const QColor& color);
/// Over a picture: its step (marked when it is an earlier one), its adherence, what is the matter with its
/// file
/// (`warning`, may be empty), and with `Hud::Everything` the params in which its run differs from the others.
void paintHud(QPainter& painter, const QRect& rect, const WallScene::Tile& tile, const QString& warning,
              Hud hud);
/// In the upper right corner of a picture: the worst thing that the automatic checks found in the clip, and
/// how many more.
void paintFindings(QPainter& painter, const QRect& rect, const std::vector<tracking::ClipFinding>& findings);
/// A small picture of what a clip was made from. `picture` has as many device pixels as the rectangle has, or
/// fewer.
void paintInput(QPainter& painter, const QRect& rect, const QImage& picture);
/// A line around a picture, so that a dark one stands out on a dark wall and a bright one on a bright wall.
void paintFrame(QPainter& painter, const QRect& rect);
/// Text in as many lines as it takes and fit, the last one cut with an ellipsis; how high it is.
int drawWrapped(QPainter& painter, const QRect& rect, const QString& text);
/// Text of one line, cut with an ellipsis where it does not fit.
void drawElided(QPainter& painter, const QRect& rect, int flags, const QString& text);
/// By how much a clip is shifted: "+3 frames".
QString offsetText(int frames);
/// An error's text without the folder of the clip's file: the tile says which clip it is, and its folder
/// would fill it.
QString withoutFolder(QString message, const std::string& file);
/// Makes an opaque picture's corners round by painting what is outside of them.
void roundCorners(QPainter& painter, const QRect& rect, const QColor& outside);

}  // namespace dailies::ui
